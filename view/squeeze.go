package view

import "fmt"

// Squeeze returns the layout without the named axes, which must be of size 1. Without names it
// drops all axes of size 1. Negative numbers count from the end. It returns an error that wraps
// *AxisError if there is no such axis.
func (l Layout) Squeeze(axes ...int) (Layout, error) {
	_, named, err := normalAxes(axes, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("squeeze: %w", err)
	}
	out := Layout{axes: make([]axis, 0, len(l.axes)), offset: l.offset}
	for i, a := range l.axes {
		if named.has(i) && a.n != 1 {
			return Layout{}, fmt.Errorf("squeeze: axis %d has size %d, only axes of size 1 can go", i, a.n)
		}
		if named.has(i) || len(axes) == 0 && a.n == 1 {
			continue
		}
		out.axes = append(out.axes, a)
	}
	return out, nil
}

// Unsqueeze returns the layout with new axes of size 1: numpy.expand_dims. Axes are named by their
// place in the result, and negative numbers count from its end. It returns an error that wraps
// *AxisError if the result has no such axis.
func (l Layout) Unsqueeze(axes ...int) (Layout, error) {
	rank := len(l.axes) + len(axes)
	if rank > MaxRank {
		return Layout{}, fmt.Errorf("unsqueeze: %d axes are more than %d", rank, MaxRank)
	}

	_, added, err := normalAxes(axes, rank)
	if err != nil {
		return Layout{}, fmt.Errorf("unsqueeze: %w", err)
	}

	out := Layout{axes: make([]axis, rank), offset: l.offset}
	next := 0
	for i := range out.axes {
		if added.has(i) {
			out.axes[i].n = 1
			continue
		}
		out.axes[i] = l.axes[next]
		next++
	}

	return out, nil
}
