package term

import (
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A Term is a node of the tree that an expression is before its names are bound: no types, no
// shapes. Terms are immutable and may be shared.
type Term struct {
	Kind   Kind
	At     Place
	Name   string        // of termName; the text of termText
	Number number.Number // of termNumber
	Scalar dtype.Scalar  // of termTyped
	Tensor *view.Tensor  // of termTensor
	Fn     *Function     // of termCall
	Args   []*Term       // of termCall one for each parameter, nil where left out; the operand of termView and termIndex; elements
	Step   view.Chain    // of termView, one step
	Items  []Item        // of termIndex
	Err    error         // of termError
}

// A Kind says what a term is, and which of its fields count.
type Kind uint8

const (
	Name    Kind = iota // a tensor, a lazy name or a variable
	Number              // a number without a type
	Typed               // a number with a type
	Tensor              // a tensor given by the program
	Call                // a function or an operator
	View                // a view of the operand
	Index               // parts of the operand, picked by arrays or variables
	Tuple               // in parentheses; an argument, no operand
	List                // in brackets; an array
	Text                // in quotes; an argument, no operand
	None                // None; an argument, no operand
	Mistake             // a mistake made while the expression was built
)

// A Place is where a term stands in the text it was read from. Terms that were built have no text.
type Place struct {
	text string
	pos  int
}

// An Item is one item between brackets that basic indexing with literal numbers does not have.
type Item struct {
	Basic view.Item // if array is nil and isSpan is not set
	Array *Term     // an array of indexes, a mask, or one integer

	// A slice with bounds that are no literals: start, stop and step, nil where left out.
	IsSpan bool
	Bounds [3]*Term
}

// Equal reports whether two terms are the same tree. Their positions in a text do not count.
func (t *Term) Equal(u *Term) bool {
	if t == u {
		return true
	}

	if t == nil || u == nil || t.Kind != u.Kind || t.Name != u.Name || t.Fn != u.Fn || t.Scalar != u.Scalar ||
		t.Tensor != u.Tensor || t.Err != u.Err || !t.Number.Equal(u.Number) || t.Step.String() != u.Step.String() {
		return false
	}

	if len(t.Args) != len(u.Args) || len(t.Items) != len(u.Items) {
		return false
	}

	for i := range t.Args {
		if !t.Args[i].Equal(u.Args[i]) {
			return false
		}
	}

	for i := range t.Items {
		if !t.Items[i].equal(&u.Items[i]) {
			return false
		}
	}
	return true
}

func (it *Item) equal(other *Item) bool {
	if it.Basic.String() != other.Basic.String() || it.IsSpan != other.IsSpan || !it.Array.Equal(other.Array) {
		return false
	}
	for i := range it.Bounds {
		if !it.Bounds[i].Equal(other.Bounds[i]) {
			return false
		}
	}
	return true
}
