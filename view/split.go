package view

import (
	"fmt"
)

// maxParts is the most parts that a layout can be split into.
const maxParts = 1 << 20

// Split cuts one axis into parts of equal size: numpy.split. It returns an error if the size is not
// a multiple of parts: see ArraySplit. A negative axis counts from the end. It returns an error
// that wraps *AxisError if there is no such axis.
func (l Layout) Split(parts, axis int) ([]Layout, error) {
	ax, err := l.splitAxis(parts, axis)
	if err != nil {
		return nil, err
	}
	if n := l.axes[ax].n; n%parts != 0 {
		return nil, fmt.Errorf("split: %d elements on axis %d do not make %d equal parts", n, ax, parts)
	}
	return l.ArraySplit(parts, ax)
}

// ArraySplit cuts one axis into parts that differ in size by at most 1, the larger ones first:
// numpy.array_split. A negative axis counts from the end. It returns an error that wraps *AxisError
// if there is no such axis.
func (l Layout) ArraySplit(parts, axis int) ([]Layout, error) {
	ax, err := l.splitAxis(parts, axis)
	if err != nil {
		return nil, err
	}

	size, larger := l.axes[ax].n/parts, l.axes[ax].n%parts
	out := make([]Layout, parts)

	first := 0
	for i := range out {
		n := size
		if i < larger {
			n++
		}
		out[i] = l.part(ax, first, n)
		first += n
	}

	return out, nil
}

// splitAxis checks the arguments of a split and returns the axis from 0.
func (l Layout) splitAxis(parts, axis int) (int, error) {
	if parts <= 0 || parts > maxParts {
		return 0, fmt.Errorf("split: expected 1 to %d parts, found %d", maxParts, parts)
	}
	ax, err := normalAxis(axis, len(l.axes))
	if err != nil {
		return 0, fmt.Errorf("split: %w", err)
	}
	return ax, nil
}

// SplitAt cuts one axis before each of the indexes: numpy.split with a list. The parts are the
// slices :i0, i0:i1, and so on. So indexes out of order or outside the axis give empty parts, and
// negative ones count from the end, as does a negative axis. It returns an error that wraps
// *AxisError if there is no such axis.
func (l Layout) SplitAt(axis int, indexes ...int) ([]Layout, error) {
	ax, err := normalAxis(axis, len(l.axes))
	if err != nil {
		return nil, fmt.Errorf("split: %w", err)
	}
	out := make([]Layout, 0, len(indexes)+1)
	next := Span(0, 0)
	for _, i := range indexes {
		next.stop = i
		out = append(out, l.span(ax, &next))
		next.start = i
	}
	next.given = hasStart
	return append(out, l.span(ax, &next)), nil
}

// span returns the part of axis ax that a slice without a step picks.
func (l Layout) span(ax int, it *Item) Layout {
	first, n, _, err := it.clamp(l.axes[ax].n)
	if err != nil {
		panic("BUG: a slice without a step failed: " + err.Error())
	}
	return l.part(ax, first, n)
}
