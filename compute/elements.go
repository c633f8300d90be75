package compute

import (
	"errors"
	"iter"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Elements are the elements of an array, to be read from front to back. They are a *view.Tensor,
// which stores them, or a *[Stream], which computes them.
type Elements interface {
	DType() dtype.Type
	Shape() []int
	NumElems() int
	// Blocks calls fn with all elements as packed bytes in C order, in pieces of at most maxBytes,
	// but at least one element; 0 or less leaves the size open. fn must neither change b nor keep
	// it. Its error ends the walk and is returned as it is.
	Blocks(maxBytes int, fn func(b []byte) error) error
}

// openElements opens what Stats and Diff read.
func openElements(x Elements) (*pieces.Operand, error) {
	if t, ok := x.(*view.Tensor); ok {
		return pieces.Open(t)
	}
	return pieces.OpenSequence(x.DType(), x.NumElems(), blocks(x)), nil
}

// isStored reports whether elements are read in any order, as those of a tensor are.
func isStored(x Elements) bool {
	_, ok := x.(*view.Tensor)
	return ok
}

// errStopped ends a walk over blocks.
var errStopped = errors.New("stopped")

// blocks yields the blocks of x, or an error at the end.
func blocks(x Elements) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		err := x.Blocks(0, func(b []byte) error {
			if !yield(b, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}
