package view

import "fmt"

// Diagonal returns the layout with two axes replaced by their diagonal, which becomes the last
// axis. A positive offset picks a diagonal further along axis2, a negative one further along axis1.
// A diagonal beyond the corner is empty. Negative axes count from the end. It returns an error that
// wraps *AxisError if there is no such axis.
func (l Layout) Diagonal(offset, axis1, axis2 int) (Layout, error) {
	if len(l.axes) < 2 {
		return Layout{}, fmt.Errorf("diagonal: expected at least 2 axes, found %d", len(l.axes))
	}
	i, j, err := normalPair(axis1, axis2, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("diagonal: %w", err)
	}

	out := Layout{axes: make([]axis, 0, len(l.axes)-1), offset: l.offset}
	for k, a := range l.axes {
		if k != i && k != j {
			out.axes = append(out.axes, a)
		}
	}

	rows, cols := l.axes[i], l.axes[j]
	skipRows, skipCols := 0, min(max(0, offset), cols.n)
	if offset < 0 {
		skipRows = min(-max(offset, -rows.n), rows.n)
	}

	diag := axis{n: min(rows.n-skipRows, cols.n-skipCols), stride: rows.stride}
	if diag.n > 0 {
		out.offset += skipRows*rows.stride + skipCols*cols.stride
	}
	addInto(&diag.stride, cols.stride) // can overflow only for n ≤ 1, where the stride is never used
	out.axes = append(out.axes, diag)

	return out, nil
}
