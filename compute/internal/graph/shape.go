package graph

import (
	"slices"
	"strconv"

	"github.com/tstore/tstore/view"
)

// JoinShapes returns the shape that both stretch to.
func JoinShapes(a, b []int) (joined []int, ok bool) {
	if slices.Equal(a, b) {
		return a, true
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) == 0 {
		return a, true
	}

	// Axes are matched from the last one; sizes of 1 stretch.
	joined = slices.Clone(a)
	skip := len(a) - len(b)
	for i, n := range b {
		switch m := &joined[skip+i]; {
		case n == *m || n == 1:
		case *m == 1:
			*m = n
		default:
			return nil, false
		}
	}
	return joined, true
}

// Stretches reports whether a shape can be repeated to make another.
func Stretches(from, to []int) bool {
	joined, ok := JoinShapes(from, to)
	return ok && slices.Equal(joined, to)
}

// ShapeKey is a text that tells shapes apart.
func ShapeKey(shape []int) string {
	var buf [64]byte
	key := buf[:0]
	for _, n := range shape {
		key = strconv.AppendInt(append(key, ' '), int64(n), 10)
	}
	return string(key)
}

// NumElems returns how many elements a shape has.
func NumElems(shape []int) int {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return n
}

// Whole returns the C-order layout of a shape that a node has, which has been checked.
func Whole(shape []int) view.Layout {
	l, err := view.NewLayout(shape...)
	if err != nil {
		panic("BUG: compute: " + err.Error())
	}
	return l
}

// Touched returns the number of different elements of a layout, as far as broadcasting repeats
// them.
func Touched(l view.Layout) int {
	n := 1
	for axis := range l.Rank() {
		if l.Stride(axis) != 0 {
			n *= l.Dim(axis)
		}
	}
	return n
}
