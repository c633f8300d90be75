package check

import (
	"cmp"
	"slices"

	"github.com/tstore/tstore/view"
)

// indexRange is a half-open range of indexes on one axis.
type indexRange struct{ first, end int }

// rangesWithin returns for each axis of a layout the smallest range of indexes that holds all
// elements which lie at lo to before hi of the storage, in elements; any is false if there are
// none. Where axes overlap one another, as in windows, ranges may be larger than they need be.
func rangesWithin(l view.Layout, lo, hi int) (ranges []indexRange, any bool) {
	w := &rangeWalk{ranges: make([]indexRange, l.Rank()), steps: maxRangeSteps}
	base := l.Offset()

	// Turn all strides positive: base becomes the lowest position, and each mirrored axis is turned
	// back at the end. Axes that don't move the position have their whole range.
	for i := range l.Rank() {
		n, stride := l.Dim(i), l.Stride(i)
		if n == 0 {
			return nil, false
		}
		if stride < 0 {
			base += (n - 1) * stride
		}
		if n == 1 || stride == 0 {
			w.ranges[i] = indexRange{0, n}
			continue
		}
		w.ranges[i] = indexRange{n, 0}
		w.axes = append(w.axes, rangeAxis{axis: i, n: n, stride: max(stride, -stride)})
	}

	// With the longest strides first, below is how far the axes after this one reach.
	slices.SortStableFunc(w.axes, func(a, b rangeAxis) int { return cmp.Compare(b.stride, a.stride) })
	for i := len(w.axes) - 2; i >= 0; i-- {
		next := w.axes[i+1]
		w.axes[i].below = next.below + (next.n-1)*next.stride
	}

	if !w.walk(0, lo-base, hi-base) {
		return nil, false
	}

	for _, a := range w.axes {
		if l.Stride(a.axis) < 0 {
			r := w.ranges[a.axis]
			w.ranges[a.axis] = indexRange{a.n - r.end, a.n - r.first}
		}
	}
	return w.ranges, true
}

// maxRangeSteps bounds the work for layouts whose axes overlap one another.
const maxRangeSteps = 10_000

// rangeWalk finds ranges from the axis of the greatest stride down.
type rangeWalk struct {
	axes   []rangeAxis
	ranges []indexRange // of the layout's axes
	steps  int
}

// rangeAxis is an axis, turned so that its stride is positive.
type rangeAxis struct {
	axis, n, stride int
	// below is the farthest that the axes behind it reach.
	below int
}

// walk widens the ranges of the axes from number k on to hold the elements at lo to before hi, and
// reports whether there are any.
func (w *rangeWalk) walk(k, lo, hi int) bool {
	if k == len(w.axes) {
		return lo <= 0 && 0 < hi
	}

	a := w.axes[k]
	first, last := max(0, ceilDiv(lo-a.below, a.stride)), min(a.n-1, floorDiv(hi-1, a.stride))

	// The steps bound the time for overlapping axes. Beyond them whole ranges are returned: larger
	// than needed, but never too small.
	if w.steps--; w.steps < 0 && first <= last {
		w.all(k)
		return true
	}

	// Narrow from the front, then from the back, to the first index that has elements.
	for first <= last && !w.walk(k+1, lo-first*a.stride, hi-first*a.stride) {
		first++
	}
	if first > last {
		return false
	}

	if last-first > 1 {
		w.all(k + 1) // what lies between has all of them
	}
	for last > first && !w.walk(k+1, lo-last*a.stride, hi-last*a.stride) {
		last--
	}

	r := &w.ranges[a.axis]
	r.first, r.end = min(r.first, first), max(r.end, last+1)
	return true
}

// all widens the ranges of the axes from number k on to all indexes.
func (w *rangeWalk) all(k int) {
	for _, a := range w.axes[k:] {
		w.ranges[a.axis] = indexRange{0, a.n}
	}
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilDiv(a, b int) int { return -floorDiv(-a, b) }

// rangesText returns the text of an index that picks the ranges. It is empty if they are
// everything.
func rangesText(l view.Layout, ranges []indexRange) string {
	items := make(view.Index, 0, len(ranges))
	last := 0
	for i, r := range ranges {
		switch {
		case r.first == 0 && r.end == l.Dim(i):
			items = append(items, view.All())
			continue
		case r.end == r.first+1:
			items = append(items, view.At(r.first))
		default:
			items = append(items, view.Span(r.first, r.end))
		}
		last = i + 1
	}

	if last == 0 {
		return ""
	}
	return "[" + items[:last].String() + "]"
}
