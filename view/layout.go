package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// MaxRank is the largest number of axes a Layout may have, as in NumPy 2.
const MaxRank = 64

// A Layout says which elements of a storage a tensor is made of, and in which order: element (i0,
// i1, …) lies at offset + i0·stride0 + i1·stride1 + …. Offsets and strides count elements, not
// bytes; strides may be negative or 0.
//
// A Layout is an immutable value: copies share their axes, and every method that changes something
// returns a new Layout. It is safe for concurrent use. The zero Layout is a scalar (rank 0, one
// element) at offset 0.
//
// Every Layout satisfies, by construction: rank ≤ MaxRank; no size is negative; the product of its
// non-zero sizes fits in an int; and no combination of in-range indexes yields a negative or
// overflowing position.
type Layout struct {
	axes   []axis
	offset int
}

// An axis is one dimension: n steps of stride elements.
type axis struct{ n, stride int }

// NewLayout returns the C-order (row-major, last axis contiguous) layout of the given shape at
// offset 0. No sizes at all make a scalar.
func NewLayout(shape ...int) (Layout, error) {
	l := Layout{axes: make([]axis, len(shape))}
	stride := 1
	for i := len(shape) - 1; i >= 0; i-- {
		l.axes[i] = axis{shape[i], stride}
		stride *= max(1, shape[i]) // an overflow is found by check
	}
	return l.checked()
}

// NewFortranLayout returns the Fortran-order (column-major, first axis contiguous) layout of the
// given shape at offset 0.
func NewFortranLayout(shape ...int) (Layout, error) {
	l := Layout{axes: make([]axis, len(shape))}
	stride := 1
	for i, n := range shape {
		l.axes[i] = axis{n, stride}
		stride *= max(1, n)
	}
	return l.checked()
}

// MakeLayout returns the layout with exactly these numbers, in elements. It accepts input from
// anywhere: whatever breaks one of the guarantees of Layout is an error that names the offending
// number.
func MakeLayout(shape, strides []int, offset int) (Layout, error) {
	if len(shape) != len(strides) {
		return Layout{}, fmt.Errorf("layout: the shape has %d axes but there are %d strides", len(shape), len(strides))
	}
	l := Layout{axes: make([]axis, len(shape)), offset: offset}
	for i := range shape {
		l.axes[i] = axis{shape[i], strides[i]}
	}
	return l.checked()
}

// checked returns l if it keeps the guarantees of Layout.
func (l Layout) checked() (Layout, error) {
	if len(l.axes) > MaxRank {
		return Layout{}, fmt.Errorf("layout: rank %d is more than the %d axes supported", len(l.axes), MaxRank)
	}
	if l.offset < 0 {
		return Layout{}, fmt.Errorf("layout: offset %d is negative", l.offset)
	}

	numElems, lo, hi := 1, l.offset, l.offset
	// lo and hi are the least and the greatest position of an element.
	for i, a := range l.axes {
		if a.n < 0 {
			return Layout{}, fmt.Errorf("layout: axis %d has the negative size %d", i, a.n)
		}
		if a.n == 0 {
			continue
		}
		ok := mulInto(&numElems, a.n)
		if !ok {
			return Layout{}, fmt.Errorf("layout: shape %s holds more elements than fit in an int", formatShape(l.Shape()))
		}
		if !extend(&lo, &hi, a) {
			return Layout{}, fmt.Errorf("layout: axis %d with size %d and stride %d reaches past the largest position", i, a.n, a.stride)
		}
	}

	if hi == math.MaxInt { // Bounds needs hi+1
		return Layout{}, fmt.Errorf("layout: strides %s from offset %d reach element %d, one past the largest position", formatShape(l.Strides()), l.offset, hi)
	}

	if lo < 0 {
		return Layout{}, fmt.Errorf("layout: strides %s from offset %d reach back to element %d, before the first", formatShape(l.Strides()), l.offset, lo)
	}

	return l, nil
}

// extend widens the inclusive element range [lo, hi] by the reach of a, which is not empty. It
// reports whether that fits.
func extend(lo, hi *int, a axis) bool {
	reach := a.n - 1
	if !mulInto(&reach, a.stride) {
		return false
	}
	if reach < 0 {
		return addInto(lo, reach)
	}
	return addInto(hi, reach)
}

// Rank returns the number of axes.
func (l Layout) Rank() int { return len(l.axes) }

// Dim returns the size of axis i, 0 ≤ i < Rank.
func (l Layout) Dim(i int) int { return l.axes[i].n }

// Stride returns the distance in elements between neighbours on axis i,
// 0 ≤ i < Rank.
func (l Layout) Stride(i int) int { return l.axes[i].stride }

// Offset returns the position of the element with all indexes 0.
func (l Layout) Offset() int { return l.offset }

// Shape returns the sizes of the axes, in a slice that the caller owns.
func (l Layout) Shape() []int {
	shape := make([]int, len(l.axes))
	for i, a := range l.axes {
		shape[i] = a.n
	}
	return shape
}

// Strides returns the strides of the axes in elements, in a slice that the caller owns.
func (l Layout) Strides() []int {
	strides := make([]int, len(l.axes))
	for i, a := range l.axes {
		strides[i] = a.stride
	}
	return strides
}

// NumElems returns the number of elements: the product of the sizes.
func (l Layout) NumElems() int {
	n := 1
	for _, a := range l.axes {
		n *= a.n
	}
	return n
}

// Bounds returns the half-open range [lo, hi) of positions that the elements lie in. An empty
// layout touches nothing: its bounds are (offset, offset).
func (l Layout) Bounds() (lo, hi int) {
	lo, hi = l.offset, l.offset
	for _, a := range l.axes {
		if a.n == 0 {
			return l.offset, l.offset
		}
		reach := (a.n - 1) * a.stride
		lo += min(0, reach)
		hi += max(0, reach)
	}
	return lo, hi + 1
}

// Pos returns the position of one element. There is one index per axis; a negative one counts from
// the end. The errors are *RankError and *IndexError.
func (l Layout) Pos(idx ...int) (int, error) {
	if len(idx) != len(l.axes) {
		return 0, &RankError{Want: len(l.axes), Got: len(idx)}
	}
	pos := l.offset
	for i, a := range l.axes {
		j := idx[i]
		if j < 0 {
			j += a.n
		}
		if uint(j) >= uint(a.n) {
			return 0, &IndexError{Axis: i, Index: idx[i], Size: a.n}
		}
		pos += j * a.stride
	}
	return pos, nil
}

// Equal reports whether l and m have the same shape, strides and offset.
func (l Layout) Equal(m Layout) bool {
	return l.offset == m.offset && slices.Equal(l.axes, m.axes)
}

// String returns the layout as text, such as "shape (2, 3) strides (3, 1) offset 0".
func (l Layout) String() string {
	return fmt.Sprintf("shape %s strides %s offset %d", formatShape(l.Shape()), formatShape(l.Strides()), l.offset)
}

// formatShape writes sizes as Python writes a tuple: "()", "(3,)", "(3, 4)".
func formatShape(shape []int) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, n := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return b.String()
}
