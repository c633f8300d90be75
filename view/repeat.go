package view

import (
	"context"
	"fmt"
	"slices"
)

// Repeat sets dst to src with each part of an axis repeated, as NumPy's repeat does: part i comes
// counts[i] times, or counts[0] times if there is only one count. A negative axis counts from the
// end; Flat repeats the elements in C order. dst has the shape that RepeatShape tells.
//
// It streams like Gather. If dst shares bytes with src, the result goes through a temporary on the
// heap.
func Repeat(ctx context.Context, dst, src *Tensor, counts []int, axis int) error {
	shape, err := RepeatShape(src.layout, counts, axis)
	if err != nil {
		return err
	}

	if err := checkShape("repeat", dst, shape); err != nil {
		return err
	}

	err = intoApart(ctx, dst, []*Tensor{src}, func(dst *Tensor) error {
		if dst.NumElems() == 0 {
			return nil
		}
		return repeat(ctx, dst, src, counts, axis)
	})

	if err != nil {
		return fmt.Errorf("repeat: %w", err)
	}
	return nil
}

// RepeatShape returns the shape that Repeat makes of l.
func RepeatShape(l Layout, counts []int, axis int) ([]int, error) {
	shape, at := l.Shape(), 0
	if axis = lineAxis(axis, l); axis == Flat {
		shape = []int{l.NumElems()}
	} else {
		var err error
		if at, err = axisOf("repeat", axis, len(l.axes)); err != nil {
			return nil, err
		}
	}

	total, err := totalCount(counts, shape[at])
	if err != nil {
		return nil, err
	}

	shape[at] = total
	if _, err := NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("repeat: %w", err)
	}
	return shape, nil
}

// repeated returns a layout whose elements in C order are the parts of an axis of l, each of them
// count times. The axis is valid.
func repeated(l Layout, count, axisAt int) Layout {
	at := len(l.axes)
	if axisAt = lineAxis(axisAt, l); axisAt != Flat {
		at, _ = normalAxis(axisAt, len(l.axes))
		at++
	}
	return Layout{axes: slices.Insert(slices.Clone(l.axes), at, axis{n: count}), offset: l.offset}
}

// totalCount returns the size of a repeated axis of size n.
func totalCount(counts []int, n int) (int, error) {
	if len(counts) != n && len(counts) != 1 {
		return 0, fmt.Errorf("repeat: %d counts for an axis of size %d, expected one or as many", len(counts), n)
	}

	total := 0
	for i, count := range counts {
		if count < 0 {
			return 0, fmt.Errorf("repeat: count %d is %d, expected 0 or more", i, count)
		}
		if !addInto(&total, count) {
			return 0, fmt.Errorf("repeat: more elements than fit in an int")
		}
	}

	if len(counts) == 1 && !mulInto(&total, n) {
		return 0, fmt.Errorf("repeat: more elements than fit in an int")
	}
	return total, nil
}

// repeat fills dst, which is not empty and has the right shape.
func repeat(ctx context.Context, dst, src *Tensor, counts []int, axisAt int) error {
	from, box := src.layout, []axis{}
	to, dstBox := dst.layout, []axis{}
	if axisAt = lineAxis(axisAt, from); axisAt != Flat {
		at, _ := axisOf("repeat", axisAt, len(from.axes))
		from, box = oneAxis(from, at)
		to, dstBox = oneAxis(to, at)
	}
	j := &jumpMove{
		dst: dst, to: newRegularPlaces(to), dstBox: dstBox,
		src: src, from: &repeatPlaces{at: *newRegularPlaces(from), counts: counts, single: len(counts) == 1}, srcBox: box,
		step: innerStep(to),
	}
	return j.run(ctx)
}

// oneAxis returns one axis of l, and the others.
func oneAxis(l Layout, at int) (Layout, []axis) {
	return Layout{axes: l.axes[at : at+1], offset: l.offset}, withoutAxis(l.axes, at)
}

// repeatPlaces yields the positions of a layout, each as often as its count says.
type repeatPlaces struct {
	at     regularPlaces
	counts []int
	single bool // one count for all
	left   int  // how often the current position is still due
	pos    [1]int
}

func (p *repeatPlaces) next(ctx context.Context, buf []int) (int, error) {
	for i := range buf {
		for p.left == 0 {
			if n, err := p.at.next(ctx, p.pos[:]); n == 0 || err != nil {
				return i, err
			}
			p.left = p.counts[0]
			if !p.single {
				p.counts = p.counts[1:]
			}
		}
		buf[i] = p.pos[0]
		p.left--
	}
	return len(buf), nil
}
