package main

import (
	"context"
	"errors"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// withTensor runs fn on the tensor that sel selects, a copy where it can't be a
// view, and closes it. When its
// file is someone else's and changed meanwhile, that is an error.
func withTensor(ctx context.Context, s *tstore.Store, sel string, fn func(*tstore.Tensor) error) error {
	t, err := s.Evaluate(ctx, sel)
	if err != nil {
		return err
	}
	if err = fn(t); err == nil {
		err = t.Unchanged()
	}
	return errors.Join(err, t.Close())
}

// statPart describes what sel selects. What can't be a view is computed for it.
func statPart(ctx context.Context, s *tstore.Store, sel string) (*tstore.Info, error) {
	info, err := s.Stat(ctx, sel)
	if !errors.Is(err, view.ErrNeedsCopy) {
		return info, err
	}
	t, err := s.Evaluate(ctx, sel)
	if err != nil {
		return nil, err
	}
	return t.Info, t.Close()
}

// elementBlockBytes is how much is read at a time where elements are printed.
const elementBlockBytes = 256 << 10

// errEnough ends a walk over elements early.
var errEnough = errors.New("enough")

// eachElement calls fn with the elements in C order, until it returns
// errEnough.
func eachElement(ctx context.Context, t *view.Tensor, fn func(dtype.Scalar) error) error {
	dt := t.DType()
	size := dt.Size()
	err := t.Blocks(elementBlockBytes, func(b []byte) error {
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
