package main

import (
	"context"
	"errors"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// withTensor runs fn on the tensor that sel selects, a copy where it can't be a
// view, and closes it. When its file is someone else's and changed meanwhile,
// that is an error. o says how to compute what is lazy.
func withTensor(ctx context.Context, s *tstore.Store, sel string, o *tstore.EvalOptions, fn func(*tstore.Tensor) error) error {
	t, err := s.EvaluateWith(ctx, sel, o)
	if err != nil {
		return err
	}
	if err = fn(t); err == nil {
		err = t.Unchanged()
	}
	return errors.Join(err, t.Close())
}

// withReading runs fn on what sel selects, open to be read from front to back,
// as withTensor does.
func withReading(ctx context.Context, s *tstore.Store, sel string, o *tstore.EvalOptions, fn func(*tstore.Reading) error) error {
	r, err := s.Read(ctx, sel, o)
	if err != nil {
		return err
	}
	if err = fn(r); err == nil {
		err = r.Unchanged()
	}
	return errors.Join(err, r.Close())
}

// elementBlockBytes is how much is read at a time where elements are printed.
const elementBlockBytes = 256 << 10

// errEnough ends a walk over elements early.
var errEnough = errors.New("enough")

// eachElement calls fn with the elements in C order, until it returns
// errEnough.
func eachElement(ctx context.Context, x compute.Elements, fn func(dtype.Scalar) error) error {
	dt := x.DType()
	size := dt.Size()
	err := x.Blocks(elementBlockBytes, func(b []byte) error {
		for ; len(b) > 0; b = b[size:] {
			if err := fn(dtype.Load(dt, b)); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
