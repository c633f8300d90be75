package graph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/internal/syntax"
)

// Print writes the tree of a node, one line for each, operands below and to the right of what is
// made of them. A node that stands in several places is written once and has a number there. Names
// are written as quote returns them.
func (n *Node) Print(w *strings.Builder, quote func(name string) string) {
	uses := map[*Node]int{}
	n.Walk(func(m *Node) {
		for _, a := range m.Args {
			uses[a]++
		}
	})
	p := nodePrinter{w: w, quote: quote, uses: uses, numbers: map[*Node]int{}}
	p.print(n, "")
}

// A nodePrinter writes the nodes of one tree.
type nodePrinter struct {
	w       *strings.Builder
	quote   func(name string) string
	uses    map[*Node]int
	numbers map[*Node]int // of nodes that stand in several places and have been written
	lines   int
}

// maxTreeLines bounds how much is written of a tree.
const maxTreeLines = 1000

func (p *nodePrinter) print(n *Node, indent string) {
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

	// A step that stands in several places gets a number.
	label := ""
	if p.uses[n] > 1 && len(n.Args) > 0 {
		p.numbers[n] = len(p.numbers) + 1
		label = fmt.Sprintf("#%d: ", p.numbers[n])
	}
	fmt.Fprintf(p.w, "%s%s%s %s%s\n", indent, label, n.Title(p.quote), n.DType, p.shape(n))
	for _, a := range n.Args {
		p.print(a, indent+"  ")
	}
}

func (p *nodePrinter) shape(n *Node) string {
	if n.Kind == NodeScalar {
		return ""
	}
	return " " + syntax.FormatShape(n.Shape)
}

// Title says what a node does. A name is written as quote returns it.
func (n *Node) Title(quote func(name string) string) string {
	switch n.Kind {
	case NodeTensor:
		if n.Name == "" {
			return "tensor"
		}
		return quote(n.Name)
	case NodeScalar:
		return n.Scalar.String()
	case NodeGenerator:
		return "generated"
	case NodeMap:
		if n.isStretch() {
			return "repeat"
		}
		return strings.ToLower(n.Op.String())
	case NodeCast:
		return "convert"
	case NodeReduce:
		return n.Reduce.describe(len(n.Args[0].Shape), len(n.Args) == 2)
	case NodeScan:
		return fmt.Sprintf("cumulative %v, axis %d", n.Reduce.Op, n.Reduce.Axes[0])
	case NodeView:
		return "view"
	case NodePick:
		return "pick"
	case NodeJoin:
		return fmt.Sprintf("concatenate, axis %d", n.Joint.Axis)
	case NodeHistogram:
		return "histogram"
	case NodeBulk:
		return n.Bulk.String()
	case NodeBincount:
		return "bincount"
	case NodeMatmul:
		return "matmul"
	}
	panic("BUG: a node of no kind")
}

// describe says what is reduced.
func (r Reduction) describe(rank int, masked bool) string {
	text := r.Op.String()
	if !slices.Equal(r.Axes, AllAxes(rank)) {
		text += ", axes " + strings.Trim(fmt.Sprint(r.Axes), "[]")
	}
	if masked {
		text += ", where"
	}
	return text
}

// Describe says what a node that a pass keeps is, in a few words.
func (n *Node) Describe() string {
	switch n.Kind {
	case NodeReduce:
		return fmt.Sprintf("%v over axes %v", n.Reduce.Op, n.Reduce.Axes)
	case NodeScan:
		return fmt.Sprintf("cumulative %v along axis %d", n.Reduce.Op, n.Reduce.Axes[0])
	case NodeHistogram:
		return fmt.Sprintf("histogram of %d bins", n.NumBins)
	case NodeBulk:
		return n.Bulk.String()
	case NodeBincount:
		return fmt.Sprintf("counts of %d values", n.NumBins)
	case NodeMatmul:
		return "matmul of " + FormatShapes(n.Args[:2])
	}
	return "keep " + n.DType.String() + " " + syntax.FormatShape(n.Shape)
}
