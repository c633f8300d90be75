package view

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// Fill sets all elements of dst to v, converted to its type by the rules of Scalar.Convert.
func Fill(ctx context.Context, dst *Tensor, v dtype.Scalar) error {
	if !v.Type().Valid() {
		return fmt.Errorf("fill: the value has no type")
	}
	if err := dst.checkWritable(); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	if dst.NumElems() == 0 {
		return ctx.Err()
	}

	var buf [maxElement]byte
	elem := buf[:dst.dt.Size()]
	v.Convert(dst.dt).Store(elem)

	if !dst.own.isHost() {
		return fillDevice(ctx, dst, elem)
	}
	err := dst.own.with(func(b []byte) error {
		var p movePlan
		planFill(&p, dst.layout)
		return p.moveUntil(ctx, b, elem, len(elem))
	})
	if err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return nil
}

// fillDevice copies one element to all those of a tensor on a device.
func fillDevice(ctx context.Context, dst *Tensor, elem []byte) error {
	st := mmapstore.FromBytes(elem)
	src, err := newOwned(st, dst.dt, Layout{})
	if err == nil {
		err = errors.Join(copyChecked(ctx, dst, src), src.Close())
	}
	if err = errors.Join(err, st.Release()); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return nil
}

// planFill plans the move of one element at position 0 to all of those of dst.
func planFill(p *movePlan, dst Layout) {
	p.reset(dst.offset, 0)
	for _, a := range dst.axes {
		if a.stride != 0 {
			p.add(a.n, a.stride, 0)
		}
	}
	p.arrange()
}
