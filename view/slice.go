package view

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

var (
	errTwoEllipses = errors.New("an index can only have a single ellipsis ('...')")
	errZeroStep    = errors.New("slice step cannot be zero")
)

// Index returns the part of l that ix picks, by the rules of NumPy's basic indexing. Nothing is
// copied: the result describes the same elements.
//
// The errors are *RankError for too many items, *IndexError for an integer outside its axis, and
// plain ones for a second ellipsis, a zero step and a result of more than MaxRank axes.
func (l Layout) Index(ix Index) (Layout, error) { return l.index(ix, nil) }

// index is Index with room for the axes of the result, which is used if it is large enough.
func (l Layout) index(ix Index, room []axis) (Layout, error) {
	rank, fill, err := ix.fit(len(l.axes))
	if err != nil {
		return Layout{}, err
	}

	out := Layout{axes: room, offset: l.offset}
	if rank > cap(room) {
		out.axes = make([]axis, 0, rank)
	}

	next := 0 // the axis of l that the next item is about
	for i := range ix {
		switch it := &ix[i]; it.kind {
		case newAxisItem:
			out.axes = append(out.axes, axis{n: 1})
			continue
		case ellipsisItem:
			out.axes = append(out.axes, l.axes[next:next+fill]...)
			next += fill
			continue
		case atItem:
			err = out.addAt(it.start, next, l.axes[next])
		case spanItem:
			err = out.addSpan(it, l.axes[next])
		}

		if err != nil {
			return Layout{}, err
		}
		next++
	}

	out.axes = slices.Clip(append(out.axes, l.axes[next:]...))

	return out, nil
}

// fit counts the items against the rank of a layout. It returns the rank of the result and the
// number of axes that an ellipsis stands for.
func (ix Index) fit(rank int) (resultRank, fill int, err error) {
	used, added, removed, ellipses := 0, 0, 0, 0
	for i := range ix {
		switch ix[i].kind {
		case newAxisItem:
			added++
		case ellipsisItem:
			ellipses++
		case atItem:
			removed++
			used++
		case spanItem:
			used++
		}
	}

	if ellipses > 1 {
		return 0, 0, errTwoEllipses
	}

	if used > rank {
		return 0, 0, &RankError{Want: rank, Got: used}
	}

	resultRank = rank - removed + added
	if resultRank > MaxRank {
		return 0, 0, fmt.Errorf("the index would make a tensor with %d axes, more than %d", resultRank, MaxRank)
	}

	return resultRank, rank - used, nil
}

// addAt moves the offset to element i of axis a, which is axis number n.
func (l *Layout) addAt(i, n int, a axis) error {
	j := i
	if j < 0 {
		j += a.n
	}
	if uint(j) >= uint(a.n) {
		return &IndexError{Axis: n, Index: i, Size: a.n}
	}
	l.offset += j * a.stride
	return nil
}

// addSpan appends the part of axis a that the slice picks.
func (l *Layout) addSpan(it *Item, a axis) error {
	start, n, step, err := it.clamp(a.n)
	if err != nil {
		return err
	}
	if n > 0 {
		l.offset += start * a.stride
	}
	out := axis{n, a.stride}
	if n > 0 {
		mulInto(&out.stride, step) // can overflow only for n == 1, where the stride is never used
	}
	l.axes = append(l.axes, out)
	return nil
}

// clamp applies the slice to an axis of size n by Python's rules. It returns the first index, the
// number of indexes and the step.
func (it *Item) clamp(n int) (start, count, step int, err error) {
	step = 1
	if it.given&hasStep != 0 {
		step = max(it.step, -math.MaxInt)
	}

	if step == 0 {
		return 0, 0, 0, errZeroStep
	}

	if step < 0 {
		start, stop := n-1, -1
		if it.given&hasStart != 0 {
			start = clampBound(it.start, n, -1, n-1)
		}
		if it.given&hasStop != 0 {
			stop = clampBound(it.stop, n, -1, n-1)
		}
		if stop >= start {
			return 0, 0, step, nil
		}
		return start, (start-stop-1)/-step + 1, step, nil
	}

	start, stop := 0, n
	if it.given&hasStart != 0 {
		start = clampBound(it.start, n, 0, n)
	}
	if it.given&hasStop != 0 {
		stop = clampBound(it.stop, n, 0, n)
	}
	if start >= stop {
		return 0, 0, step, nil
	}
	return start, (stop-start-1)/step + 1, step, nil
}

// clampBound counts a negative bound from the end n and limits it to [lo, hi].
func clampBound(v, n, lo, hi int) int {
	if v < 0 {
		v += n
	}
	return min(max(v, lo), hi)
}
