package store

import (
	"context"
	"errors"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Operands opens the tensors that are named in the brackets of a pick, and keeps them open until
// the change is made.
type Operands struct {
	Ctx    context.Context
	Store  *Store
	Opened []*Tensor
}

// open opens what a name stands for, or computes an expression.
func (o *Operands) open(text string) (*view.Tensor, error) {
	return o.Keep(o.Store.Expressions.Evaluate(o.Ctx, o.Store, text))
}

// Keep takes over a tensor that was opened, to close it with the others, and returns its elements;
// or returns err.
func (o *Operands) Keep(t *Tensor, err error) (*view.Tensor, error) {
	if err != nil {
		return nil, err
	}
	o.Opened = append(o.Opened, t)
	return t.Tensor, nil
}

// unchanged returns ErrChanged if an adopted file that was read has changed since.
func (o *Operands) unchanged() error {
	var errs []error
	for _, t := range o.Opened {
		errs = append(errs, t.Unchanged())
	}
	return errors.Join(errs...)
}

func (o *Operands) close() error {
	var errs []error
	for _, t := range o.Opened {
		errs = append(errs, t.Close())
	}
	return errors.Join(errs...)
}

// modifyPicked changes what pick picks of the part that info describes.
func (s *Store) modifyPicked(ctx context.Context, info *Info, pick string, change ElementChange) error {
	operands := &Operands{Ctx: ctx, Store: s}
	lookup := operands.open
	if change.Lookup != nil {
		lookup = func(name string) (*view.Tensor, error) { return change.Lookup(operands, name) }
	}
	f, err := view.ParseFancy(pick, lookup)
	if err == nil {
		err = s.modifyLocked(ctx, info, f, func(dst *view.Tensor, f view.Fancy) error {
			return errors.Join(change.Apply(dst, f), operands.unchanged())
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
