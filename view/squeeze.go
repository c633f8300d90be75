package view

import "fmt"

// Squeeze returns the layout without the named axes, which must be of size 1; without any named,
// all axes of size 1 go. Negative numbers count from the end. The error wraps *AxisError where
// there is no such axis.
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

// Unsqueeze returns the layout with new axes of size 1, which are where they are named in the
// result: numpy.expand_dims. Negative numbers count from its end. The error wraps *AxisError where
// the result has no such axis.
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
