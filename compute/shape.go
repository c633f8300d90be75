package compute

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tstore/tstore/view"
)

// joinShapes returns the shape that both stretch to.
func joinShapes(a, b []int) (joined []int, ok bool) {
	if slices.Equal(a, b) {
		return a, true
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) == 0 {
		return a, true
	}
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

// stretches reports whether a shape can be repeated to make another.
func stretches(from, to []int) bool {
	joined, ok := joinShapes(from, to)
	return ok && slices.Equal(joined, to)
}

// formatShape writes a shape as NumPy does: "(3,)".
func formatShape(shape []int) string {
	if len(shape) == 1 {
		return "(" + strconv.Itoa(shape[0]) + ",)"
	}
	texts := make([]string, len(shape))
	for i, n := range shape {
		texts[i] = strconv.Itoa(n)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// shapeKey is a text that tells shapes apart.
func shapeKey(shape []int) string {
	var buf [64]byte
	key := buf[:0]
	for _, n := range shape {
		key = strconv.AppendInt(append(key, ' '), int64(n), 10)
	}
	return string(key)
}

// numElems returns how many elements a shape has.
func numElems(shape []int) int {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return n
}

// whole returns the C-order layout of a shape that a node has, which has been checked.
func whole(shape []int) view.Layout {
	l, err := view.NewLayout(shape...)
	if err != nil {
		panic("BUG: compute: " + err.Error())
	}
	return l
}

// touched returns the number of different elements of a layout, as far as broadcasting repeats them.
func touched(l view.Layout) int {
	n := 1
	for axis := range l.Rank() {
		if l.Stride(axis) != 0 {
			n *= l.Dim(axis)
		}
	}
	return n
}
