package compute

import (
	"fmt"
	"slices"
	"strings"
)

// print writes the tree of a node, one line for each, operands below and to the right of what is made of them. A node
// that stands in several places is written once and has a number there. Names are written as quote returns them.
func (n *node) print(w *strings.Builder, quote func(name string) string) {
	uses := map[*node]int{}
	n.walk(func(m *node) {
		for _, a := range m.args {
			uses[a]++
		}
	})
	p := nodePrinter{w: w, quote: quote, uses: uses, numbers: map[*node]int{}}
	p.print(n, "")
}

// A nodePrinter writes the nodes of one tree.
type nodePrinter struct {
	w       *strings.Builder
	quote   func(name string) string
	uses    map[*node]int
	numbers map[*node]int // of nodes that stand in several places and have been written
	lines   int
}

// maxTreeLines bounds how much is written of a tree.
const maxTreeLines = 1000

func (p *nodePrinter) print(n *node, indent string) {
	if p.lines++; p.lines > maxTreeLines {
		if p.lines == maxTreeLines+1 {
			p.w.WriteString(indent + "…\n")
		}
		return
	}
	if number, written := p.numbers[n]; written {
		fmt.Fprintf(p.w, "%s#%d\n", indent, number)
		return
	}
	label := ""
	if p.uses[n] > 1 && len(n.args) > 0 {
		p.numbers[n] = len(p.numbers) + 1
		label = fmt.Sprintf("#%d: ", p.numbers[n])
	}
	fmt.Fprintf(p.w, "%s%s%s %s%s\n", indent, label, n.title(p.quote), n.dtype, p.shape(n))
	for _, a := range n.args {
		p.print(a, indent+"  ")
	}
}

func (p *nodePrinter) shape(n *node) string {
	if n.kind == nodeScalar {
		return ""
	}
	return " " + formatShape(n.shape)
}

// title says what a node does. A name is written as quote returns it.
func (n *node) title(quote func(name string) string) string {
	switch n.kind {
	case nodeTensor:
		if n.name == "" {
			return "tensor"
		}
		return quote(n.name)
	case nodeScalar:
		return n.scalar.String()
	case nodeGenerator:
		return "generated"
	case nodeMap:
		if n.isStretch() {
			return "repeat"
		}
		return strings.ToLower(n.op.String())
	case nodeCast:
		return "convert"
	case nodeReduce:
		return n.reduce.describe(len(n.args[0].shape), len(n.args) == 2)
	case nodeScan:
		return fmt.Sprintf("cumulative %v, axis %d", n.reduce.op, n.reduce.axes[0])
	case nodeView:
		return "view"
	case nodeHistogram:
		return "histogram"
	case nodeBulk:
		return n.bulk.String()
	case nodeBincount:
		return "bincount"
	case nodeMatmul:
		return "matmul"
	}
	panic("BUG: a node of no kind")
}

// describe says what is reduced.
func (r reduction) describe(rank int, masked bool) string {
	text := r.op.String()
	if !slices.Equal(r.axes, allAxes(rank)) {
		text += ", axes " + strings.Trim(fmt.Sprint(r.axes), "[]")
	}
	if masked {
		text += ", where"
	}
	return text
}

// describe says what a node that a pass keeps is, in a few words.
func (n *node) describe() string {
	switch n.kind {
	case nodeReduce:
		return fmt.Sprintf("%v over axes %v", n.reduce.op, n.reduce.axes)
	case nodeScan:
		return fmt.Sprintf("cumulative %v along axis %d", n.reduce.op, n.reduce.axes[0])
	case nodeHistogram:
		return fmt.Sprintf("histogram of %d bins", n.numBins)
	case nodeBulk:
		return n.bulk.String()
	case nodeBincount:
		return fmt.Sprintf("counts of %d values", n.numBins)
	case nodeMatmul:
		return "matmul of " + formatShapes(n.args[:2])
	}
	return "keep " + n.dtype.String() + " " + formatShape(n.shape)
}
