package view

import (
	"context"
	"fmt"
	"slices"
)

// Compress sets dst to the parts of src along an axis for which mask is true, as NumPy's compress
// does. mask has one axis and any type. It may be shorter than the axis, and longer if the rest is
// false. A negative axis counts from the end. Flat picks elements of src in C order.
//
// The list of picked parts is kept in memory, the rest is streamed. CompressShape returns the shape
// that dst must have.
func Compress(ctx context.Context, dst, src, mask *Tensor, axis int) error {
	picked, err := compressList(ctx, src.layout, mask, axis)
	if err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	p := planTake(src.layout, arrayOfList(picked), axis, IndexRaise)
	if err := checkShape("compress", dst, p.shape()); err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	err = intoApart(ctx, dst, []*Tensor{src}, func(dst *Tensor) error { return p.move(ctx, dst, src) })
	if err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	return nil
}

// CompressShape returns the shape that Compress makes of l. It counts the true elements of the
// mask.
func CompressShape(ctx context.Context, l Layout, mask *Tensor, axis int) ([]int, error) {
	picked, err := compressList(ctx, l, mask, axis)
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return planTake(l, arrayOfList(picked), axis, IndexRaise).shape(), nil
}

// compressList returns the indexes of an axis, or of all elements, that the mask picks.
func compressList(ctx context.Context, l Layout, mask *Tensor, axis int) ([]int, error) {
	if mask.Rank() != 1 {
		return nil, fmt.Errorf("the mask has shape %s, expected one axis", formatShape(mask.Shape()))
	}

	n, at := l.NumElems(), 0
	if axis = lineAxis(axis, l); axis != Flat {
		var err error
		if at, err = normalAxis(axis, len(l.axes)); err != nil {
			return nil, err
		}
		n = l.axes[at].n
	}

	lists, err := Nonzero(ctx, mask)
	if err != nil {
		return nil, err
	}

	picked := lists[0]

	// The list ascends: the first index beyond the axis is the one to report.
	if first, _ := slices.BinarySearch(picked, n); first < len(picked) {
		return nil, &IndexError{Axis: at, Index: picked[first], Size: n}
	}

	return picked, nil
}
