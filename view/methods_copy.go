package view

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// applyCopy serves methods whose results cannot be views.
func applyCopy(form, args) (form, error) { return form{}, ErrNeedsCopy }

// applyAsType leaves elements alone that are of the type already.
func applyAsType(in form, a args) (form, error) {
	if to := a[0].dt; to != in.dt {
		return form{}, fmt.Errorf("conversion of %s to %s: %w", in.dt, to, ErrNeedsCopy)
	}
	return in, nil
}

// applyContiguous leaves elements alone that are in C order already.
func applyContiguous(in form, _ args) (form, error) {
	if !in.layout.IsContiguous() {
		return form{}, ErrNeedsCopy
	}
	return in, nil
}

func copyAll(ctx context.Context, e evaluation, t *Tensor, _ args) (*Tensor, error) {
	return e.packed(ctx, t, t.dt)
}

func copyAsType(ctx context.Context, e evaluation, t *Tensor, a args) (*Tensor, error) {
	return e.packed(ctx, t, a[0].dt)
}

func copyTake(ctx context.Context, e evaluation, t *Tensor, a args) (*Tensor, error) {
	axis := a.int(1, Flat)
	indexes, err := a[0].tensor()
	if err != nil {
		return nil, err
	}
	defer indexes.Close()
	shape, err := TakeShape(t.layout, indexes.Shape(), axis)
	if err != nil {
		return nil, err
	}
	return e.filled(t.dt, shape, func(dst *Tensor) error { return Take(ctx, dst, t, indexes, axis, IndexRaise) })
}

// tensor returns the integers of an argument: a scalar for one alone.
func (a argument) tensor() (*Tensor, error) {
	shape := []int{len(a.ints)}
	if !a.tuple {
		shape = nil
	}
	t, err := newTemp(dtype.Int64, shape)
	if err != nil {
		return nil, err
	}
	for i, v := range a.ints {
		if err := t.Set(dtype.ScalarOf(int64(v)), []int{i}[:len(shape)]...); err != nil {
			t.Close()
			return nil, err
		}
	}
	return t, nil
}

func copyRepeat(ctx context.Context, e evaluation, t *Tensor, a args) (*Tensor, error) {
	counts, axis := a[0].ints, a.int(1, Flat)
	shape, err := RepeatShape(t.layout, counts, axis)
	if err != nil {
		return nil, err
	}
	return e.filled(t.dt, shape, func(dst *Tensor) error { return Repeat(ctx, dst, t, counts, axis) })
}

func copyTile(ctx context.Context, e evaluation, t *Tensor, a args) (*Tensor, error) {
	shape, err := TileShape(t.layout, a[0].ints...)
	if err != nil {
		return nil, err
	}
	return e.filled(t.dt, shape, func(dst *Tensor) error { return Tile(ctx, dst, t, a[0].ints...) })
}

func copyRoll(ctx context.Context, e evaluation, t *Tensor, a args) (*Tensor, error) {
	return e.filled(t.dt, t.Shape(), func(dst *Tensor) error { return Roll(ctx, dst, t, a[0].ints, a[1].ints...) })
}
