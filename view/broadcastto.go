package view

import (
	"fmt"
	"slices"
)

// BroadcastTo returns the layout broadcast to a shape. Axes are matched from the last one. Missing
// axes and axes of size 1 are repeated, with stride 0. It returns a *ShapeError if the shape does
// not fit. Elements of a broadcast tensor stand for many and cannot be written.
func (l Layout) BroadcastTo(shape ...int) (Layout, error) {
	lead := len(shape) - len(l.axes)
	if lead < 0 {
		return Layout{}, &ShapeError{Op: "broadcast", Want: slices.Clone(shape), Got: l.Shape()}
	}

	out := Layout{axes: make([]axis, len(shape)), offset: l.offset}
	// An axis keeps stride 0 unless it is matched by one of the same size.
	for i, n := range shape {
		if out.axes[i].n = n; i < lead {
			continue
		}
		switch a := l.axes[i-lead]; a.n {
		case 1:
		case n:
			out.axes[i] = a
		default:
			return Layout{}, &ShapeError{Op: "broadcast", Want: slices.Clone(shape), Got: l.Shape()}
		}
	}

	out, err := out.checked()
	if err != nil {
		return Layout{}, fmt.Errorf("broadcast to %s: %w", formatShape(shape), err)
	}
	return out, nil
}

// Expand is BroadcastTo, where -1 keeps the size of an axis that l has.
func (l Layout) Expand(shape ...int) (Layout, error) {
	sizes := slices.Clone(shape)
	lead := len(sizes) - len(l.axes)
	for i, n := range sizes {
		switch {
		case n != -1:
		case i < lead || lead < 0:
			return Layout{}, fmt.Errorf("expand to %s: -1 at axis %d keeps the size of an axis, and none of the %d axes is there", formatShape(shape), i, len(l.axes))
		default:
			sizes[i] = l.axes[i-lead].n
		}
	}
	return l.BroadcastTo(sizes...)
}

// BroadcastShapes returns the shape to which all of the shapes broadcast: in each axis, counted
// from the last, the one size that is not 1. It returns a *ShapeError if sizes disagree. Without
// shapes it returns the shape of a scalar. The caller owns the result.
func BroadcastShapes(shapes ...[]int) ([]int, error) {
	rank := 0
	for _, shape := range shapes {
		rank = max(rank, len(shape))
	}

	if rank > MaxRank {
		return nil, fmt.Errorf("broadcast: %d axes are more than %d", rank, MaxRank)
	}

	out := make([]int, rank)
	for i := range out {
		out[i] = 1
	}

	for _, shape := range shapes {
		for i, n := range shape {
			at := &out[rank-len(shape)+i]
			if n < 0 {
				return nil, fmt.Errorf("broadcast: shape %s has the negative size %d", formatShape(shape), n)
			}
			if *at != n && *at != 1 && n != 1 {
				return nil, &ShapeError{Op: "broadcast", Want: out, Got: slices.Clone(shape)}
			}
			if *at == 1 {
				*at = n
			}
		}
	}

	return out, nil
}

// Broadcast returns the layouts, each stretched to the shape that all of them stretch to; see
// BroadcastShapes and BroadcastTo for the errors.
func Broadcast(layouts ...Layout) ([]Layout, error) {
	shapes := make([][]int, len(layouts))
	for i, l := range layouts {
		shapes[i] = l.Shape()
	}
	shape, err := BroadcastShapes(shapes...)
	if err != nil {
		return nil, err
	}
	out := make([]Layout, len(layouts))
	for i, l := range layouts {
		if out[i], err = l.BroadcastTo(shape...); err != nil {
			return nil, err
		}
	}
	return out, nil
}
