package view

import (
	"strconv"
	"strings"

	"github.com/tstore/tstore/internal/syntax"
)

// syntax returns the index as the items between brackets; the empty one is "()".
func (ix Index) syntax() *syntax.Node {
	return itemNodes(ix, Item.syntax)
}

// itemNodes returns an index with its items.
func itemNodes[T any](items []T, node func(T) *syntax.Node) *syntax.Node {
	if len(items) == 0 {
		return &syntax.Node{Kind: syntax.Index, Args: []*syntax.Node{{Kind: syntax.Tuple}}}
	}
	n := &syntax.Node{Kind: syntax.Index, Args: make([]*syntax.Node, len(items))}
	for i, it := range items {
		n.Args[i] = node(it)
	}
	return n
}

func (it Item) syntax() *syntax.Node {
	switch it.kind {
	case atItem:
		return intNode(it.start)
	case ellipsisItem:
		return &syntax.Node{Kind: syntax.Ellipsis}
	case newAxisItem:
		return &syntax.Node{Kind: syntax.None}
	}
	bounds := make([]*syntax.Node, 3)
	for i, v := range []int{it.start, it.stop, it.step} {
		if it.given&(hasStart<<i) != 0 {
			bounds[i] = intNode(v)
		}
	}
	return &syntax.Node{Kind: syntax.Slice, Args: bounds}
}

func intNode(v int) *syntax.Node {
	digits, negative := strings.CutPrefix(strconv.Itoa(v), "-")
	n := &syntax.Node{Kind: syntax.Number, Text: digits}
	if negative {
		return &syntax.Node{Kind: syntax.Unary, Text: "-", Args: []*syntax.Node{n}}
	}
	return n
}

func intNodes(values []int) []*syntax.Node {
	nodes := make([]*syntax.Node, len(values))
	for i, v := range values {
		nodes[i] = intNode(v)
	}
	return nodes
}

// syntax returns the index as the items between brackets; the empty one is "()".
func (f Fancy) syntax() *syntax.Node {
	return itemNodes(f, FancyItem.syntax)
}

func (it FancyItem) syntax() *syntax.Node {
	switch {
	case it.kind == basicItem:
		return it.basic.syntax()
	case it.name != "":
		return &syntax.Node{Kind: syntax.Name, Text: it.name, Quoted: !syntax.Plain(it.name)}
	case it.t != nil:
		return &syntax.Node{Kind: syntax.Missing, Text: it.t.DType().String() + " " + formatShape(it.t.Shape())}
	}
	return it.list(it.values, it.shape)
}

// list returns values of a shape as nested lists.
func (it FancyItem) list(values, shape []int) *syntax.Node {
	if len(shape) == 0 && it.kind == intArray {
		return intNode(values[0])
	}
	if len(shape) == 0 {
		return &syntax.Node{Kind: syntax.Name, Text: map[int]string{0: "False", 1: "True"}[values[0]]}
	}
	n := &syntax.Node{Kind: syntax.List, Args: make([]*syntax.Node, shape[0])}
	for i := range n.Args {
		part := len(values) / shape[0]
		n.Args[i] = it.list(values[i*part:(i+1)*part], shape[1:])
	}
	return n
}

// syntax returns the chain without an operand.
func (c Chain) syntax() *syntax.Node {
	n := &syntax.Node{Kind: syntax.Chain, Args: make([]*syntax.Node, 1+len(c))}
	for i, s := range c {
		n.Args[1+i] = s.syntax()
	}
	return n
}

func (s Step) syntax() *syntax.Node {
	switch {
	case s.method == nil && s.pick != nil:
		return s.pick.syntax()
	case s.method == nil:
		return s.index.syntax()
	case s.method.attribute:
		return &syntax.Node{Kind: syntax.Attribute, Text: s.method.name}
	}
	return &syntax.Node{Kind: syntax.Call, Text: s.method.name, Args: s.method.syntax(s.args)}
}

// syntax returns the arguments of a call; those behind one that is left out are named.
func (m *method) syntax(a args) []*syntax.Node {
	var nodes []*syntax.Node
	skipped := false
	for i, arg := range a {
		switch values := arg.syntax(m.params[i].kind); {
		case !arg.given:
			skipped = true
		case skipped:
			nodes = append(nodes, &syntax.Node{Kind: syntax.Keyword, Text: m.params[i].names[0], Args: values[:1]})
		default:
			nodes = append(nodes, values...)
		}
	}
	return nodes
}

// syntax returns an argument; one of several integers is as many nodes if they need no parentheses.
func (a argument) syntax(kind paramKind) []*syntax.Node {
	if a.dt.Valid() {
		return []*syntax.Node{{Kind: syntax.Name, Text: a.dt.String()}}
	}
	nodes := intNodes(a.ints)
	inLine := kind == manyInts || kind == typeOrShape
	if len(nodes) == 0 || a.tuple && !inLine {
		return []*syntax.Node{{Kind: syntax.Tuple, Args: nodes}}
	}
	return nodes
}
