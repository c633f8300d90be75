package tstore

import (
	"context"
	"errors"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// operands are the tensors that stand in the brackets of a pick.
type operands struct {
	ctx    context.Context
	store  *Store
	opened []*Tensor
}

// open opens what a name stands for, or computes an expression.
func (o *operands) open(text string) (*view.Tensor, error) {
	return o.keep(o.store.expressions.Evaluate(o.ctx, o.store, text))
}

func (o *operands) keep(t *Tensor, err error) (*view.Tensor, error) {
	if err != nil {
		return nil, err
	}
	o.opened = append(o.opened, t)
	return t.Tensor, nil
}

// unchanged returns an error if what was read may have changed since.
func (o *operands) unchanged() error {
	var errs []error
	for _, t := range o.opened {
		errs = append(errs, t.Unchanged())
	}
	return errors.Join(errs...)
}

func (o *operands) close() error {
	var errs []error
	for _, t := range o.opened {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// modifyPicked changes what pick picks of the part that info describes.
func (s *Store) modifyPicked(ctx context.Context, info *Info, pick string, change elementChange) error {
	operands := &operands{ctx: ctx, store: s}
	lookup := operands.open
	if change.lookup != nil {
		lookup = func(name string) (*view.Tensor, error) { return change.lookup(operands, name) }
	}
	f, err := view.ParseFancy(pick, lookup)
	if err == nil {
		err = s.modifyLocked(ctx, info, f, func(dst *view.Tensor, f view.Fancy) error {
			return errors.Join(change.apply(dst, f), operands.unchanged())
		})
	}
	return errors.Join(err, operands.close())
}

// scalarTensor runs fn on a tensor without axes that holds v.
func scalarTensor(v dtype.Scalar, fn func(*view.Tensor) error) error {
	l, err := view.NewLayout()
	if err != nil {
		return err
	}
	b := make([]byte, v.Type().Size())
	v.Store(b)
	return withBytes(b, v.Type(), l, fn)
}
