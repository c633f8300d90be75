package view

import (
	"fmt"
	"slices"
)

// Flip returns the layout with the named axes reversed, or all of them if none is named. Negative
// numbers count from the end. The error wraps *AxisError.
func (l Layout) Flip(axes ...int) (Layout, error) {
	_, named, err := normalAxes(axes, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("flip: %w", err)
	}
	if len(axes) == 0 {
		named = ^axisSet(0)
	}
	return l.flipped(named), nil
}

// flipped returns the layout with the axes of the set reversed.
func (l Layout) flipped(named axisSet) Layout {
	out := Layout{axes: slices.Clone(l.axes), offset: l.offset}
	for i, a := range l.axes {
		if !named.has(i) {
			continue
		}
		if a.n > 0 {
			out.offset += (a.n - 1) * a.stride
		}
		out.axes[i].stride = -a.stride
	}
	return out
}

// Rot90 returns the layout rotated k times by 90 degrees in the plane of two axes, from the first
// towards the second; a negative k turns the other way. Negative axes count from the end. It
// returns an error that wraps *AxisError if there is no such axis.
func (l Layout) Rot90(k, axis1, axis2 int) (Layout, error) {
	a, b, err := normalPair(axis1, axis2, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("rotate: %w", err)
	}

	turned := l
	// A quarter turn is a swap of the axes and one flip; k & 3 is k modulo 4, also for a negative
	// k.
	if k%2 != 0 {
		if turned, err = l.SwapAxes(a, b); err != nil {
			return Layout{}, fmt.Errorf("rotate: %w", err)
		}
	}

	switch k & 3 {
	case 1:
		return turned.flipped(1 << a), nil
	case 2:
		return turned.flipped(1<<a | 1<<b), nil
	case 3:
		return turned.flipped(1 << b), nil
	}

	return turned, nil
}
