package view

import (
	"fmt"
	"slices"
)

// Transpose returns the layout with its axes in reverse order.
func (l Layout) Transpose() Layout {
	n := len(l.axes)
	out := Layout{axes: make([]axis, n), offset: l.offset}
	for i, a := range l.axes {
		out.axes[n-1-i] = a
	}
	return out
}

// MatrixTranspose returns the layout with its last two axes swapped: a stack of matrices, each
// transposed.
func (l Layout) MatrixTranspose() (Layout, error) {
	if len(l.axes) < 2 {
		return Layout{}, fmt.Errorf("matrix transpose: expected at least 2 axes, found %d", len(l.axes))
	}
	return l.SwapAxes(-2, -1)
}

// Permute returns the layout whose axis i is axis axes[i] of l. Every axis is named once. Negative
// numbers count from the end. It returns an error that wraps *AxisError if there is no such axis.
func (l Layout) Permute(axes ...int) (Layout, error) {
	n := len(l.axes)
	if len(axes) != n {
		return Layout{}, fmt.Errorf("permute: %d axes were named, the tensor has %d", len(axes), n)
	}
	from, _, err := normalAxes(axes, n)
	if err != nil {
		return Layout{}, fmt.Errorf("permute: %w", err)
	}
	return l.ordered(from), nil
}

// ordered returns the layout whose axis i is axis from[i] of l.
func (l Layout) ordered(from []int) Layout {
	out := Layout{axes: make([]axis, len(from)), offset: l.offset}
	for i, ax := range from {
		out.axes[i] = l.axes[ax]
	}
	return out
}

// SwapAxes returns the layout with two axes exchanged; negative numbers count from the end. The
// error wraps *AxisError.
func (l Layout) SwapAxes(axis1, axis2 int) (Layout, error) {
	a, err := normalAxis(axis1, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("swap axes: %w", err)
	}
	b, err := normalAxis(axis2, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("swap axes: %w", err)
	}
	out := Layout{axes: slices.Clone(l.axes), offset: l.offset}
	out.axes[a], out.axes[b] = out.axes[b], out.axes[a]
	return out, nil
}

// MoveAxis returns the layout with each axis source[i] moved to destination[i], and the others in
// their order around them: numpy.moveaxis. Both lists have one length and name each axis once.
// Negative numbers count from the end. It returns an error that wraps *AxisError if there is no
// such axis.
func (l Layout) MoveAxis(source, destination []int) (Layout, error) {
	from, moved, err := normalAxes(source, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("move axis: source %w", err)
	}

	to, _, err := normalAxes(destination, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("move axis: destination %w", err)
	}

	if len(from) != len(to) {
		return Layout{}, fmt.Errorf("move axis: %d axes cannot move to %d places", len(from), len(to))
	}

	// Axes that move are put down first, the rest goes into the free places in order.
	order := make([]int, len(l.axes))
	for i := range order {
		order[i] = -1
	}
	for i, ax := range to {
		order[ax] = from[i]
	}

	rest := 0
	for i := range order {
		if order[i] >= 0 {
			continue
		}
		for moved.has(rest) {
			rest++
		}
		order[i] = rest
		rest++
	}

	return l.ordered(order), nil
}
