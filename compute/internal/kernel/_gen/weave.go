package main

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
)

// The steps of one vector are a chain of instructions that wait for each other. A processor looks
// some hundred instructions ahead at most, so that of long chains emitted one after the other it
// runs too few at once. These comments mark where a chain begins and where some chains end that
// weave takes in turns.
const (
	chainMark = "chain"
	wovenMark = "woven"
)

// woven is eachOf, with the instructions of so many chains in turns.
func (k *asm) woven(xs []value, together int, f func(value) value) []value {
	out := make([]value, len(xs))
	for i, x := range xs {
		k.Comment(chainMark)
		out[i] = f(x)
		if (i+1)%together == 0 || i == len(xs)-1 {
			k.Comment(wovenMark)
		}
	}
	return out
}

// weave puts the instructions between the marks of a function in their order.
func weave(fn *ir.Function) {
	var nodes []ir.Node
	var chains [][]ir.Node
	for _, n := range fn.Nodes {
		switch {
		case isComment(n, chainMark):
			chains = append(chains, nil)
		case isComment(n, wovenMark):
			nodes, chains = append(nodes, inTurns(chains)...), nil
		case len(chains) > 0:
			last := &chains[len(chains)-1]
			*last = append(*last, n)
		default:
			nodes = append(nodes, n)
		}
	}

	fn.Nodes = nodes
}

func isComment(n ir.Node, text string) bool {
	c, ok := n.(*ir.Comment)
	return ok && slices.Equal(c.Lines, []string{text})
}

// inTurns takes one node of each chain at a time.
func inTurns(chains [][]ir.Node) []ir.Node {
	var nodes []ir.Node
	for i := 0; len(chains) > 0; i++ {
		chains = slices.DeleteFunc(chains, func(c []ir.Node) bool { return i >= len(c) })
		for _, c := range chains {
			nodes = append(nodes, c[i])
		}
	}
	return nodes
}
