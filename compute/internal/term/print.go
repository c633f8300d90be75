package term

import (
	"strconv"
	"strings"

	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/internal/syntax"
)

// maxPrinted bounds the text of an expression, which may hold one part very many times.
const maxPrinted = 1 << 20

// String returns t as text that Parse reads as the same tree.
func (t *Term) String() string {
	p := printer{}
	p.write(t, syntax.PrecNone)
	return p.String()
}

// A printer writes terms.
type printer struct{ strings.Builder }

// write writes a term, in parentheses where it binds less tightly than it must.
func (p *printer) write(t *Term, least syntax.Precedence) {
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
func (t *Term) precedence() syntax.Precedence {
	switch {
	case t == nil:
		return syntax.PrecPostfix
	case t.Kind == Number && strings.HasPrefix(t.Number.String(), "-"):
		return syntax.PrecUnary
	case t.Kind == Number:
		return syntax.PrecNumber
	case t.Kind == Call && t.Fn.Symbol != "":
		return t.Fn.Prec
	}
	return syntax.PrecPostfix
}

func (p *printer) writeBare(t *Term) {
	switch {
	case t == nil:
		p.WriteString("<nothing>")
	case t.Kind == Name:
		p.WriteString(syntax.Quote(t.Name))
	case t.Kind == Number:
		p.WriteString(t.Number.String())
	case t.Kind == Typed:
		n, _ := number.FromScalar(t.Scalar)
		p.WriteString(t.Scalar.Type().String() + "(" + n.String() + ")")
	case t.Kind == Tensor:
		p.WriteString("<" + t.Tensor.DType().String() + " " + syntax.FormatShape(t.Tensor.Shape()) + ">")
	case t.Kind == Call:
		p.writeCall(t)
	case t.Kind == View:
		p.write(t.Args[0], syntax.PrecPostfix)
		p.WriteString(t.Step.String())
	case t.Kind == Index:
		p.write(t.Args[0], syntax.PrecPostfix)
		p.WriteByte('[')
		p.writeItems(t.Items)
		p.WriteByte(']')
	case t.Kind == Tuple:
		p.WriteByte('(')
		p.writeList(t.Args)
		if len(t.Args) == 1 {
			p.WriteByte(',')
		}
		p.WriteByte(')')
	case t.Kind == List:
		p.WriteByte('[')
		p.writeList(t.Args)
		p.WriteByte(']')
	case t.Kind == Text:
		p.WriteString(syntax.QuoteText(t.Name))
	case t.Kind == None:
		p.WriteString("None")
	case t.Kind == Mistake:
		p.WriteString("<" + t.Err.Error() + ">")
	}
}

// writeCall writes an operator between or before its operands, or a function with its arguments.
// Arguments after one that is left out are written by name.
func (p *printer) writeCall(t *Term) {
	fn := t.Fn

	switch {
	case fn.Symbol != "" && len(t.Args) == 1:
		p.WriteString(fn.Symbol)
		p.write(t.Args[0], syntax.PrecUnary)
	// ** binds tighter than a sign on its left, and groups to the right.
	case fn.Symbol == "**":
		p.write(t.Args[0], syntax.PrecNumber)
		p.WriteString("**")
		p.write(t.Args[1], syntax.PrecUnary)
	case fn.Symbol != "":
		// Comparisons do not chain, so a comparison on the left needs parentheses too.
		left := fn.Prec
		if fn.Prec == syntax.PrecCompare {
			left++
		}
		p.write(t.Args[0], left)
		p.WriteString(" " + fn.Symbol + " ")
		p.write(t.Args[1], fn.Prec+1)
	default:
		p.writeArguments(t)
	}
}

func (p *printer) writeArguments(t *Term) {
	p.WriteString(t.Fn.Name + "(")

	skipped, written := false, false
	for i, arg := range t.Args {
		if arg == nil {
			skipped = true
			continue
		}
		if written {
			p.WriteString(", ")
		}
		if skipped {
			p.WriteString(t.Fn.Params[i].Name + "=")
		}
		p.write(arg, syntax.PrecNone)
		written = true
	}

	p.WriteByte(')')
	if t.Fn.Result != "" {
		p.WriteString("." + t.Fn.Result)
	}
}

func (p *printer) writeList(terms []*Term) {
	for i, t := range terms {
		if i > 0 {
			p.WriteString(", ")
		}
		p.write(t, syntax.PrecNone)
	}
}

func (p *printer) writeItems(items []Item) {
	for i, it := range items {
		if i > 0 {
			p.WriteString(", ")
		}
		switch {
		case it.IsSpan:
			p.writeSpan(it.Bounds)
		case it.Array != nil:
			p.write(it.Array, syntax.PrecNone)
		default:
			p.WriteString(it.Basic.String())
		}
	}
}

func (p *printer) writeSpan(bounds [3]*Term) {
	for i, t := range bounds {
		if i == 1 || i == 2 && t != nil {
			p.WriteByte(':')
		}
		if t != nil {
			p.write(t, syntax.PrecNone)
		}
	}
}

// ListText describes a list by its length.
func (t *Term) ListText() string { return "list of " + strconv.Itoa(len(t.Args)) }
