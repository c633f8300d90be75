package ptx_test

import (
	"math/rand/v2"
	"slices"

	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
)

// A lying is how strided inputs of folds lie: by segments, each of which has rows and columns.
type lying struct {
	layouts   *ptx.Layouts
	dims      []int
	segments  map[segment]*rectangle
	strides   [][]int // of each input
	addresses []uint64
}

// A rectangle is the numbers of a segment, and where inputs have its first element, in bytes.
type rectangle struct {
	cols, row, col int
	at             []int
}

func newLying(r *rand.Rand, layouts *ptx.Layouts, boxes [][]segment) *lying {
	l := &lying{layouts: layouts, segments: map[segment]*rectangle{}}
	for range layouts.Rank {
		l.dims = append(l.dims, 1+r.IntN(9))
	}
	for _, s := range slices.Concat(boxes...) {
		l.segments[s] = &rectangle{cols: 1 + r.IntN(40), row: r.IntN(30), col: r.IntN(30)}
	}
	return l
}

// coordinates returns those of element i of a segment.
func (l *lying) coordinates(r *rectangle, i int) (all []int) {
	split := func(at int, dims []int) {
		parts := make([]int, len(dims))
		for axis := len(dims) - 1; axis > 0; axis-- {
			parts[axis], at = at%dims[axis], at/dims[axis]
		}
		parts[0] = at
		all = append(all, parts...)
	}
	col := i + r.col
	if rows := l.layouts.Rows; rows > 0 {
		split(i/r.cols+r.row, l.dims[:rows])
		col = i%r.cols + r.col
	}
	split(col, l.dims[l.layouts.Rows:])
	return all
}

// operand returns room for an input of n elements. Segments may share elements.
func (l *lying) operand(r *rand.Rand, t dtype.Type, n int) operand {
	o := operand{at: make([]int, n)}
	for range l.dims {
		o.strides = append(o.strides, t.Size()*(r.IntN(7)-3))
	}
	least, end := 0, t.Size()
	for s, of := range l.segments {
		of.at = append(of.at, 0)
		for i := range s.end - s.first {
			at := 0
			for axis, x := range l.coordinates(of, i) {
				at += x * o.strides[axis]
			}
			o.at[s.first+i] = at
			least, end = min(least, at), max(end, at+t.Size())
		}
	}

	// No element lies before the first byte.
	for i := range o.at {
		o.at[i] -= least
	}
	for _, of := range l.segments {
		of.at[len(of.at)-1] = -least
	}
	o.bytes = make([]byte, end-least)
	l.strides = append(l.strides, o.strides)
	return o
}

// place says where the last operand is: in the last of some parameters, which does not count.
func (l *lying) place(params []uint64) {
	last := &params[len(params)-1]
	l.addresses = append(l.addresses, *last)
	*last = 1
}

// words returns what the table has of a segment behind its first two numbers.
func (l *lying) words(s segment) (all []int) {
	if len(l.strides) == 0 {
		return nil
	}
	of := l.segments[s]
	all = []int{of.cols, of.row, of.col}
	for k, at := range of.at {
		all = append(all, int(l.addresses[k])+at)
	}
	return all
}

// params returns the parameters of the coordinates.
func (l *lying) params() (all []uint64) {
	if len(l.strides) == 0 {
		return nil
	}
	for _, n := range l.dims {
		all = append(all, uint64(n))
	}
	for _, s := range slices.Concat(l.strides...) {
		all = append(all, uint64(s))
	}
	return all
}
