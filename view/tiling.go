package view

import (
	"context"
	"fmt"
)

// Tile sets dst to src repeated as a whole: reps[i] times along axis i, as NumPy's tile does. The
// shorter one of reps and the shape of src gets ones at its start. TileShape returns the shape that
// dst must have.
func Tile(ctx context.Context, dst, src *Tensor, reps ...int) error {
	shape, err := TileShape(src.layout, reps...)
	if err != nil {
		return err
	}

	if err := checkShape("tile", dst, shape); err != nil {
		return err
	}

	if dst.NumElems() == 0 {
		return dst.checkWritable()
	}

	// Each axis is split into its repetitions, of stride 0, and itself: tiling is then a copy.
	from := tiled(src.layout, reps)
	to, err := dst.layout.Reshape(from.Shape()...)
	if err != nil {
		return fmt.Errorf("tile: %w", err)
	}

	if err := Copy(ctx, dst.derive(to), src.derive(from)); err != nil {
		return fmt.Errorf("tile: %w", err)
	}
	return nil
}

// TileShape returns the shape that Tile makes of l.
func TileShape(l Layout, reps ...int) ([]int, error) {
	whole, reps := leadingOnes(l, reps)
	shape := whole.Shape()
	for i, count := range reps {
		if count < 0 {
			return nil, fmt.Errorf("tile: %d repetitions of axis %d, expected 0 or more", count, i)
		}
		if !mulInto(&shape[i], count) {
			return nil, fmt.Errorf("tile: axis %d would have more elements than fit in an int", i)
		}
	}
	if _, err := NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("tile: %w", err)
	}
	return shape, nil
}

// tiled returns a layout whose elements in C order are the elements of l repeated as a whole. It
// has an axis of repetitions before each axis.
func tiled(l Layout, reps []int) Layout {
	whole, counts := leadingOnes(l, reps)
	out := Layout{offset: l.offset}
	for i, a := range whole.axes {
		if counts[i] != 1 {
			out.axes = append(out.axes, axis{n: counts[i]})
		}
		if a.n != 1 {
			out.axes = append(out.axes, a)
		}
	}
	return out
}

// leadingOnes fills up the shorter one of the axes of l and reps.
func leadingOnes(l Layout, reps []int) (Layout, []int) {
	rank := max(len(l.axes), len(reps))
	out := Layout{axes: make([]axis, rank), offset: l.offset}
	counts := make([]int, rank)
	for i := range rank {
		out.axes[i], counts[i] = axis{n: 1}, 1
	}
	copy(out.axes[rank-len(l.axes):], l.axes)
	copy(counts[rank-len(reps):], reps)
	return out, counts
}
