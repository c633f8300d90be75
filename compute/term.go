package compute

import (
	"math"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A term is a node of the tree that an expression is before its names are bound: no types, no
// shapes. Terms are immutable and may be shared.
type term struct {
	kind   termKind
	at     place
	name   string       // of termName; the text of termText
	number number       // of termNumber
	scalar dtype.Scalar // of termTyped
	tensor *view.Tensor // of termTensor
	fn     *function    // of termCall
	args   []*term      // of termCall one for each parameter, nil where left out; the operand of termView and termIndex; elements
	step   view.Chain   // of termView, one step
	items  []indexItem  // of termIndex
	err    error        // of termError
}

type termKind uint8

const (
	termName   termKind = iota // a tensor, a lazy name or a variable
	termNumber                 // a number without a type
	termTyped                  // a number with a type
	termTensor                 // a tensor given by the program
	termCall                   // a function or an operator
	termView                   // a view of the operand
	termIndex                  // parts of the operand, picked by arrays or variables
	termTuple                  // in parentheses; an argument, no operand
	termList                   // in brackets; an array
	termText                   // in quotes; an argument, no operand
	termNone                   // None; an argument, no operand
	termError                  // a mistake made while the expression was built
)

// A place is where a term stands in the text it was read from. Terms that were built have no text.
type place struct {
	text string
	pos  int
}

// An indexItem is one item between brackets that basic indexing with literal numbers does not have.
type indexItem struct {
	basic view.Item // if array is nil and isSpan is not set
	array *term     // an array of indexes, a mask, or one integer

	// A slice with bounds that are no literals: start, stop and step, nil where left out.
	isSpan bool
	bounds [3]*term
}

// equal reports whether two terms are the same tree. Their positions in a text do not count.
func (t *term) equal(u *term) bool {
	if t == u {
		return true
	}

	if t == nil || u == nil || t.kind != u.kind || t.name != u.name || t.fn != u.fn || t.scalar != u.scalar ||
		t.tensor != u.tensor || t.err != u.err || !t.number.equal(u.number) || t.step.String() != u.step.String() {
		return false
	}

	if len(t.args) != len(u.args) || len(t.items) != len(u.items) {
		return false
	}

	for i := range t.args {
		if !t.args[i].equal(u.args[i]) {
			return false
		}
	}

	for i := range t.items {
		if !t.items[i].equal(&u.items[i]) {
			return false
		}
	}
	return true
}

func (it *indexItem) equal(other *indexItem) bool {
	if it.basic.String() != other.basic.String() || it.isSpan != other.isSpan || !it.array.equal(other.array) {
		return false
	}
	for i := range it.bounds {
		if !it.bounds[i].equal(other.bounds[i]) {
			return false
		}
	}
	return true
}

// sameFloat is == that takes NaN for equal to NaN and tells 0 from -0.
func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}
