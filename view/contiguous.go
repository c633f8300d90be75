package view

import (
	"cmp"
	"iter"
	"slices"
)

// IsContiguous reports whether the elements lie side by side in C order, so that the layout can be
// walked as one run with step 1. Axes of size 1 do not matter, and an empty layout is contiguous.
func (l Layout) IsContiguous() bool {
	return l.NumElems() == 0 || inOrder(slices.Backward(l.axes))
}

// IsFortran reports whether the elements lie side by side in Fortran order. A layout with at most
// one axis longer than 1 can be both.
func (l Layout) IsFortran() bool {
	return l.NumElems() == 0 || inOrder(slices.All(l.axes))
}

// inOrder reports whether each axis continues the one before it, from stride 1 on.
func inOrder(axes iter.Seq2[int, axis]) bool {
	want := 1
	for _, a := range axes {
		if a.n > 1 && a.stride != want {
			return false
		}
		want *= a.n
	}
	return true
}

// IsDense reports whether the elements fill Bounds exactly, each position once, in whatever order:
// any permutation or reversal of the axes of a contiguous layout is dense.
func (l Layout) IsDense() bool {
	if l.NumElems() == 0 {
		return true
	}
	var buf [MaxRank]axis
	axes := buf[:0]
	for _, a := range l.axes {
		if a.n > 1 {
			axes = append(axes, axis{a.n, abs(a.stride)})
		}
	}
	slices.SortFunc(axes, func(a, b axis) int { return cmp.Compare(a.stride, b.stride) })
	return inOrder(slices.All(axes))
}

// abs returns |v|; strides of axes longer than 1 are never the most negative int.
func abs(v int) int {
	if v < 0 {
		return -v
	}
	return v
}
