package main

import (
	"context"
	"errors"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// withTensor runs fn on the tensor that sel selects or computes, a copy where it can't be a view,
// and closes it. When its file is someone else's and changed meanwhile, that is an error. o says
// how to compute.
func (a *app) withTensor(ctx context.Context, s *tstore.Store, sel string, o *tstore.EvalOptions, fn func(*tstore.Tensor) error) error {
	if err := a.tellNumbers(ctx, s, sel); err != nil {
		return err
	}
	t, err := s.EvaluateWith(ctx, sel, o)
	if err != nil {
		return err
	}
	if err = fn(t); err == nil {
		err = t.Unchanged()
	}
	return errors.Join(err, t.Close())
}

// withReading runs fn on what sel selects or computes, open to be read from front to back, as
// withTensor does.
func (a *app) withReading(ctx context.Context, s *tstore.Store, sel string, o *tstore.EvalOptions, fn func(*tstore.Reading) error) error {
	if err := a.tellNumbers(ctx, s, sel); err != nil {
		return err
	}
	r, err := s.Read(ctx, sel, o)
	if err != nil {
		return err
	}
	if err = fn(r); err == nil {
		err = r.Unchanged()
	}
	return errors.Join(err, r.Close())
}

// expr is the expression that a text stands for.
func (a *app) expr(ctx context.Context, s *tstore.Store, text string) (compute.Expr, error) {
	if err := a.tellNumbers(ctx, s, text); err != nil {
		return compute.Expr{}, err
	}
	return s.Expr(ctx, text)
}

// tellNumbers notes which numbers of an expression, such as e, are names of tensors as well.
func (a *app) tellNumbers(ctx context.Context, s *tstore.Store, text string) error {
	stmts, err := compute.ParseProgram(text)
	if err != nil || len(stmts[0].Constants) == 0 {
		return nil // whoever reads it says what is wrong
	}
	e, err := s.Expr(ctx, text)
	if err != nil || !e.Equal(stmts[0].Expr) { // a selector of a tensor e
		return nil
	}
	return a.tellConstants(ctx, s, stmts)
}

// elementBlockBytes is how much is read at a time where elements are printed.
const elementBlockBytes = 256 << 10

// errEnough ends a walk over elements early.
var errEnough = errors.New("enough")

// eachElement calls fn with the elements in C order, until it returns errEnough.
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
