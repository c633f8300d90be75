package tstore

import (
	"context"
	"slices"

	"github.com/tstore/tstore/view"
)

// pieceBytes is worked on between two looks at the context.
const pieceBytes = 64 << 20

// piecewise runs fn on parts of tensors of the same shape, which together are
// all of them, until ctx ends. It is for work that knows no context itself.
func piecewise(ctx context.Context, fn func(parts []*view.Tensor) error, tensors ...*view.Tensor) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	shape, strides := tensors[0].Shape(), tensors[0].Strides()
	axis := 0
	for axis < len(shape) && (shape[axis] < 2 || strides[axis] == 0) {
		axis++
	}
	if axis == len(shape) || tensors[0].NumBytes() <= pieceBytes {
		return fn(tensors)
	}
	half := shape[axis] / 2
	for _, span := range []view.Item{view.Span(0, half), view.Span(half, shape[axis])} {
		parts := make([]*view.Tensor, len(tensors))
		for i, t := range tensors {
			part, err := t.Index(append(slices.Repeat(view.Index{view.All()}, axis), span))
			if err != nil {
				return err
			}
			parts[i] = part
		}
		if err := piecewise(ctx, fn, parts...); err != nil {
			return err
		}
	}
	return nil
}
