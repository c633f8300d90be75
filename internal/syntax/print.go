package syntax

import "strings"

// maxPrinted bounds the text of a tree, which may hold one node very many times.
const maxPrinted = 1 << 20

// String writes a tree as text that is read as an equal one. Of more than a megabyte, "…" stands
// for the rest.
func (n *Node) String() string {
	var w writer
	w.write(n, PrecNone)
	return w.String()
}

// A writer writes nodes.
type writer struct{ strings.Builder }

// write writes a node, in parentheses where it binds less tightly than it must.
func (w *writer) write(n *Node, least Precedence) {
	switch {
	case n == nil:
		return
	case w.Len() > maxPrinted:
		if !strings.HasSuffix(w.String(), "…") {
			w.WriteString("…")
		}
	case n.Precedence() < least:
		w.WriteByte('(')
		w.bare(n)
		w.WriteByte(')')
	default:
		w.bare(n)
	}
}

// Precedence returns the precedence of the text of a node.
func (n *Node) Precedence() Precedence {
	switch {
	case n.Kind == Unary, n.Kind == Number && n.Text[0] == '-':
		return PrecUnary
	case n.Kind == Number:
		return PrecNumber
	case n.Kind == Binary && n.Text == "**":
		return PrecPower
	case n.Kind == Binary:
		return findSymbol(n.Text).prec
	}
	return PrecPostfix
}

func (w *writer) bare(n *Node) {
	switch n.Kind {
	case Missing:
		w.WriteString("<" + n.Text + ">")
	case Name:
		if n.Quoted {
			w.WriteString(Quote(n.Text))
		} else {
			w.WriteString(n.Text)
		}
	case Number:
		w.WriteString(n.Text)
	case Text:
		w.WriteString(QuoteText(n.Text))
	case None:
		w.WriteString("None")
	case Unary:
		w.WriteString(n.Text)
		w.write(n.Args[0], PrecUnary)
	case Binary:
		w.binary(n)
	case Tuple, List, Call, Index:
		w.brackets(n)
	case Keyword:
		w.WriteString(n.Text + "=")
		w.write(n.Args[0], PrecNone)
	case Chain:
		w.chain(n)
	case Attribute:
		w.WriteString(n.Text)
	case Slice:
		w.slice(n)
	case Ellipsis:
		w.WriteString("...")
	case Assign:
		last := len(n.Args) - 1
		w.list(n.Args[:last], ", ")
		w.WriteString(" " + n.Text + " ")
		w.write(n.Args[last], PrecNone)
	case Statements:
		w.list(n.Args, "; ")
	}
}

// binary writes an operator between its operands.
func (w *writer) binary(n *Node) {
	prec := n.Precedence()
	switch prec {
	case PrecPower:
		w.write(n.Args[0], PrecNumber)
		w.WriteString("**")
		w.write(n.Args[1], PrecUnary)
		return
	case PrecCompare:
		w.write(n.Args[0], prec+1)
	default:
		w.write(n.Args[0], prec)
	}
	w.WriteString(" " + n.Text + " ")
	w.write(n.Args[1], prec+1)
}

// brackets writes what stands in brackets.
func (w *writer) brackets(n *Node) {
	open, end := "(", ")"
	if n.Kind == List || n.Kind == Index {
		open, end = "[", "]"
	}
	w.WriteString(n.Text + open)
	if n.Kind == Index {
		w.items(n.Args)
	} else {
		w.list(n.Args, ", ")
	}
	if n.Kind == Tuple && len(n.Args) == 1 {
		w.WriteByte(',')
	}
	w.WriteString(end)
}

func (w *writer) list(nodes []*Node, between string) {
	for i, n := range nodes {
		if i > 0 {
			w.WriteString(between)
		}
		w.write(n, PrecNone)
	}
}

// items writes the items of an index, where None is a new axis.
func (w *writer) items(nodes []*Node) {
	for i, n := range nodes {
		if i > 0 {
			w.WriteString(", ")
		}
		if n.Kind == None {
			w.WriteString("newaxis")
		} else {
			w.write(n, PrecNone)
		}
	}
}

// chain writes an operand, if there is one, and the steps behind it.
func (w *writer) chain(n *Node) {
	w.write(n.Args[0], PrecPostfix)
	for _, step := range n.Args[1:] {
		if step.Kind != Index {
			w.WriteByte('.')
		}
		w.write(step, PrecNone)
	}
}

func (w *writer) slice(n *Node) {
	w.write(n.Args[0], PrecNone)
	w.WriteByte(':')
	w.write(n.Args[1], PrecNone)
	if n.Args[2] != nil {
		w.WriteByte(':')
		w.write(n.Args[2], PrecNone)
	}
}
