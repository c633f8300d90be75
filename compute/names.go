package compute

import (
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Names returns the names that e has a meaning by, each once, in the order in which the text of e
// has them.
func (e Expr) Names() []string { return e.term.Names() }

// Substitute returns e with names replaced by expressions: by with's result where that is true.
// Names in the replacements stay as they are.
func (e Expr) Substitute(with func(name string) (Expr, bool)) Expr {
	return Expr{e.term.Substitute(func(name string) (*term.Term, bool) {
		by, ok := with(name)
		return by.term, ok
	})}
}

// Variable is the expression for the user variable v. A bool, int64, float64 or complex128 is a
// number without a type. Any other type is kept.
func Variable(v dtype.Scalar) Expr {
	switch v := v.Any().(type) {
	case bool, int64, float64, complex128:
		return Scalar(v)
	}
	return Typed(v)
}

// Read is a part of a name that an expression reads at most.
type Read struct {
	Name  string
	Chain view.Chain // what is read of it, as far as views say that; empty: all of it
}

// Reads returns the parts of names that e reads, each once: "x[:5]*x[5:].T + y" reads x[:5],
// x[5:].T and y. An operand of an index array or of a function counts whole, even if only some of
// its elements are read.
func (e Expr) Reads() []Read {
	var all []Read
	e.term.Reads(func(name string, chain view.Chain) { all = append(all, Read{name, chain}) })
	return all
}

// HasIndexArrays reports whether brackets in e hold anything but literal numbers: arrays of
// indexes, masks or names, which binding e may have to compute.
func (e Expr) HasIndexArrays() bool { return e.term.HasIndexArrays() }
