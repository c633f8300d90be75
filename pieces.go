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

// copyPiecewise is view.Copy to a tensor that shares no bytes with src, until
// ctx ends.
func copyPiecewise(ctx context.Context, dst, src *view.Tensor) error {
	l, err := src.Layout().BroadcastTo(dst.Shape()...)
	if err != nil {
		return view.Copy(dst, src) // has the error, or NumPy's leave for leading axes of 1
	}
	stretched, err := view.NewTensor(src.Storage(), src.DType(), l)
	if err != nil {
		return err
	}
	defer stretched.Close()
	return copyParts(ctx, dst, stretched)
}

// copyParts is copyPiecewise for tensors of the same shape.
func copyParts(ctx context.Context, dst, src *view.Tensor) error {
	return piecewise(ctx, func(p []*view.Tensor) error { return view.Copy(p[0], p[1]) }, dst, src)
}
