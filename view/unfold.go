package view

import "fmt"

// Unfold returns the layout with windows of size elements that slide along one axis by step. The
// axis counts the windows, and a new last axis counts the elements of a window. Overlapping windows
// share elements, so they cannot be written. A negative axis counts from the end. It returns an
// error that wraps *AxisError if there is no such axis.
func (l Layout) Unfold(axis, size, step int) (Layout, error) {
	ax, err := normalAxis(axis, len(l.axes))
	if err != nil {
		return Layout{}, fmt.Errorf("unfold: %w", err)
	}

	a := l.axes[ax]
	if size < 0 || size > a.n {
		return Layout{}, fmt.Errorf("unfold: expected a window size from 0 to the %d elements of axis %d, found %d", a.n, ax, size)
	}
	if step <= 0 {
		return Layout{}, fmt.Errorf("unfold: expected a positive step, found %d", step)
	}

	out := Layout{axes: append(l.axes[:len(l.axes):len(l.axes)], a), offset: l.offset}
	windows := a
	windows.n = (a.n-size)/step + 1
	if size == 0 {
		windows.stride = 0 // the last one may begin behind the end
	}
	mulInto(&windows.stride, step) // can overflow only for one window, where the stride is never used

	out.axes[ax], out.axes[len(l.axes)].n = windows, size
	out, err = out.checked()
	if err != nil {
		return Layout{}, fmt.Errorf("unfold: %w", err)
	}

	return out, nil
}
