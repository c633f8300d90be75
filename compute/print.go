package compute

import (
	"strconv"
	"strings"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/internal/syntax"
)

// maxPrinted bounds the text of an expression, which may hold one part very many times.
const maxPrinted = 1 << 20

// String returns the expression as text that Parse reads as the same tree. Tensors given by
// FromTensor, mistakes and expressions of more than a megabyte have no such text. They are printed
// in angle brackets or as "…".
func (e Expr) String() string {
	p := printer{}
	p.write(e.term, precNone)
	return p.String()
}

// Equal reports whether two expressions are the same tree.
func (e Expr) Equal(o Expr) bool { return e.term.equal(o.term) }

// A printer writes terms.
type printer struct{ strings.Builder }

// write writes a term, in parentheses where it binds less tightly than it must.
func (p *printer) write(t *term, least precedence) {
	if p.Len() > maxPrinted {
		if !strings.HasSuffix(p.String()[p.Len()-len("…"):], "…") {
			p.WriteString("…")
		}
		return
	}
	inner := t.precedence() < least
	if inner {
		p.WriteByte('(')
	}
	p.writeBare(t)
	if inner {
		p.WriteByte(')')
	}
}

// precedence returns the precedence of the text of a term.
func (t *term) precedence() precedence {
	switch {
	case t == nil:
		return precPostfix
	case t.kind == termNumber && strings.HasPrefix(t.number.String(), "-"):
		return precUnary
	case t.kind == termNumber:
		return precNumber
	case t.kind == termCall && t.fn.symbol != "":
		return t.fn.prec
	}
	return precPostfix
}

func (p *printer) writeBare(t *term) {
	switch {
	case t == nil:
		p.WriteString("<nothing>")
	case t.kind == termName:
		p.WriteString(quoteName(t.name))
	case t.kind == termNumber:
		p.WriteString(t.number.String())
	case t.kind == termTyped:
		n, _ := value{node: &graph.Node{Kind: graph.NodeScalar, Scalar: t.scalar}}.constant()
		p.WriteString(t.scalar.Type().String() + "(" + n.String() + ")")
	case t.kind == termTensor:
		p.WriteString("<" + t.tensor.DType().String() + " " + graph.FormatShape(t.tensor.Shape()) + ">")
	case t.kind == termCall:
		p.writeCall(t)
	case t.kind == termView:
		p.write(t.args[0], precPostfix)
		p.WriteString(t.step.String())
	case t.kind == termIndex:
		p.write(t.args[0], precPostfix)
		p.WriteByte('[')
		p.writeItems(t.items)
		p.WriteByte(']')
	case t.kind == termTuple:
		p.WriteByte('(')
		p.writeList(t.args)
		if len(t.args) == 1 {
			p.WriteByte(',')
		}
		p.WriteByte(')')
	case t.kind == termList:
		p.WriteByte('[')
		p.writeList(t.args)
		p.WriteByte(']')
	case t.kind == termText:
		p.WriteString(syntax.QuoteText(t.name))
	case t.kind == termNone:
		p.WriteString("None")
	case t.kind == termError:
		p.WriteString("<" + t.err.Error() + ">")
	}
}

// writeCall writes an operator between or before its operands, or a function with its arguments.
// Arguments after one that is left out are written by name.
func (p *printer) writeCall(t *term) {
	fn := t.fn

	switch {
	case fn.symbol != "" && len(t.args) == 1:
		p.WriteString(fn.symbol)
		p.write(t.args[0], precUnary)
	// ** binds tighter than a sign on its left, and groups to the right.
	case fn.symbol == "**":
		p.write(t.args[0], precNumber)
		p.WriteString("**")
		p.write(t.args[1], precUnary)
	case fn.symbol != "":
		// Comparisons do not chain, so a comparison on the left needs parentheses too.
		left := fn.prec
		if fn.prec == precCompare {
			left++
		}
		p.write(t.args[0], left)
		p.WriteString(" " + fn.symbol + " ")
		p.write(t.args[1], fn.prec+1)
	default:
		p.writeArguments(t)
	}
}

func (p *printer) writeArguments(t *term) {
	p.WriteString(t.fn.name + "(")

	skipped, written := false, false
	for i, arg := range t.args {
		if arg == nil {
			skipped = true
			continue
		}
		if written {
			p.WriteString(", ")
		}
		if skipped {
			p.WriteString(t.fn.parsed[i].name + "=")
		}
		p.write(arg, precNone)
		written = true
	}

	p.WriteByte(')')
	if t.fn.result != "" {
		p.WriteString("." + t.fn.result)
	}
}

func (p *printer) writeList(terms []*term) {
	for i, t := range terms {
		if i > 0 {
			p.WriteString(", ")
		}
		p.write(t, precNone)
	}
}

func (p *printer) writeItems(items []indexItem) {
	for i, it := range items {
		if i > 0 {
			p.WriteString(", ")
		}
		switch {
		case it.isSpan:
			p.writeSpan(it.bounds)
		case it.array != nil:
			p.write(it.array, precNone)
		default:
			p.WriteString(it.basic.String())
		}
	}
}

func (p *printer) writeSpan(bounds [3]*term) {
	for i, t := range bounds {
		if i == 1 || i == 2 && t != nil {
			p.WriteByte(':')
		}
		if t != nil {
			p.write(t, precNone)
		}
	}
}

// quoteName writes a name as Parse reads it.
func quoteName(name string) string { return syntax.Quote(name) }

// listText describes a list by its length.
func (t *term) listText() string { return "list of " + strconv.Itoa(len(t.args)) }
