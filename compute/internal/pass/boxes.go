package pass

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/view"
)

// Boxes cut an array into parts that follow one another in C order. In that order, the elements of
// each part lie side by side.
type boxes struct {
	shape []int
	axis  int // the one that is cut; those before it are walked index by index
	step  int // the length of a part along it
	count int
	elems int // of the largest box
}

// newBoxes cuts an array into boxes of at most elems elements, but at least one.
func newBoxes(shape []int, elems int) boxes {
	b := boxes{shape: shape, axis: len(shape), step: 1, count: 1, elems: 1}
	if graph.NumElems(shape) == 0 {
		b.count = 0
		return b
	}

	// As many of the last axes as fit are in a box as a whole.
	for b.axis > 0 && b.elems*shape[b.axis-1] <= elems {
		b.axis--
		b.elems *= shape[b.axis]
	}
	if b.axis == 0 {
		return b
	}

	// The one before them is cut.
	b.axis--
	b.step = max(1, elems/b.elems)
	b.elems *= b.step
	b.count = (shape[b.axis] + b.step - 1) / b.step
	for _, n := range shape[:b.axis] {
		b.count *= n
	}
	return b
}

// at returns the index of box i.
func (b boxes) at(i int) view.Index {
	if b.axis == len(b.shape) || b.count == 1 {
		return view.Index{}
	}
	lo, hi := b.bounds(i)
	ix := make(view.Index, b.axis+1)
	for axis := range b.axis {
		ix[axis] = view.At(lo[axis])
	}
	ix[b.axis] = view.Span(lo[b.axis], hi[b.axis])
	return ix
}

// bounds returns the first index of box i along each axis, and the one behind the last.
func (b boxes) bounds(i int) (lo, hi []int) {
	lo, hi = make([]int, len(b.shape)), slices.Clone(b.shape)
	if b.axis == len(b.shape) || b.count == 1 {
		return lo, hi
	}
	cuts := (b.shape[b.axis] + b.step - 1) / b.step
	lo[b.axis] = i % cuts * b.step
	hi[b.axis] = min(lo[b.axis]+b.step, b.shape[b.axis])
	i /= cuts
	for axis, n := range slices.Backward(b.shape[:b.axis]) {
		lo[axis], hi[axis] = i%n, i%n+1
		i /= n
	}
	return lo, hi
}

// cut returns the number of boxes, and of elements, that an index of the axes before the cut one
// has.
func (b boxes) cut() (count, elems int) {
	if b.axis == len(b.shape) {
		return 1, b.elems
	}
	n := b.shape[b.axis]
	return (n + b.step - 1) / b.step, b.elems / b.step * n
}

// first returns the number, in C order, of the first element of box i; of all elements for the box
// behind the last.
func (b boxes) first(i int) int {
	if b.count <= 1 {
		return i * graph.NumElems(b.shape)
	}
	cuts, elems := b.cut()
	return i/cuts*elems + i%cuts*b.elems
}

// of returns the box that has element n in C order.
func (b boxes) of(n int) int {
	if b.count <= 1 {
		return 0
	}
	cuts, elems := b.cut()
	return n/elems*cuts + n%elems/b.elems
}
