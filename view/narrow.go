package view

import (
	"fmt"
	"slices"
)

// Narrow returns length elements of one axis from start on; the axis stays. A negative axis or
// start counts from the end. Unlike a slice, a range outside the axis is an error. The error wraps
// *AxisError or, for start, *IndexError.
func (l Layout) Narrow(axis, start, length int) (Layout, error) {
	ax, err := normalAxis(axis, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("narrow: %w", err)
	}

	a := l.axes[ax]
	first := start
	if first < 0 {
		first += a.n
	}

	if first < 0 || first > a.n {
		return Layout{}, fmt.Errorf("narrow: %w", &IndexError{Axis: ax, Index: start, Size: a.n})
	}

	if length < 0 || length > a.n-first {
		return Layout{}, fmt.Errorf("narrow: length %d from index %d does not fit axis %d with size %d", length, first, ax, a.n)
	}

	return l.part(ax, first, length), nil
}

// part returns n elements of axis ax from first on, which are there.
func (l Layout) part(ax, first, n int) Layout {
	out := Layout{axes: slices.Clone(l.axes), offset: l.offset}
	if n > 0 {
		out.offset += first * l.axes[ax].stride
	}
	out.axes[ax].n = n
	return out
}

// Select returns element i of one axis, which disappears. A negative axis or i counts from the end.
// The error wraps *AxisError or *IndexError.
func (l Layout) Select(axis, i int) (Layout, error) {
	ax, err := normalAxis(axis, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("select: %w", err)
	}
	out := Layout{offset: l.offset}
	if err := out.addAt(i, ax, l.axes[ax]); err != nil {
		return Layout{}, fmt.Errorf("select: %w", err)
	}
	out.axes = slices.Delete(slices.Clone(l.axes), ax, ax+1)
	return out, nil
}
