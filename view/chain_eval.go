package view

import (
	"context"
	"errors"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// EvalOptions are the options of Eval. The zero value is a valid choice.
type EvalOptions struct {
	// Lookup finds the tensors whose names stand in brackets, as for ParseFancy. Without it, names
	// are errors.
	Lookup func(name string) (*Tensor, error)
	// New makes a storage of size bytes for elements that must be copied, and is the place for a
	// limit. Its reference is given back when the tensor over it is closed. If it is nil,
	// mmapstore.New makes storages on the heap.
	New func(size int64) (*mmapstore.Storage, error)
}

// Eval returns what the chain makes of t. Advanced indexing, shapes that no strides can express,
// astype and copy make copies. All other steps are views, so a chain of such steps is a view of t.
// o may be nil.
//
// The caller closes the result. It stays usable when t is closed. In memory is only what the last
// copy made. The error names the failing step and wraps the error of its operation.
func (c Chain) Eval(ctx context.Context, t *Tensor, o *EvalOptions) (*Tensor, error) {
	e := evaluation{EvalOptions{New: mmapstore.New}}
	if o != nil {
		e.Lookup = o.Lookup
		if o.New != nil {
			e.New = o.New
		}
	}

	cur, err := t.Retain()
	if err != nil {
		return nil, err
	}

	// Each step takes over the reference of the one before, so memory of earlier copies is freed on
	// the way.
	for i, s := range c {
		next, err := e.step(ctx, cur, s)
		if err != nil {
			cur.Close()
			return nil, c.stepError(i, err)
		}
		cur = next
	}

	return cur, nil
}

// An evaluation is a run of Eval.
type evaluation struct{ EvalOptions }

// step returns what s makes of cur. On success the result owns the reference of cur, or cur is
// closed.
func (e evaluation) step(ctx context.Context, cur *Tensor, s Step) (*Tensor, error) {
	f, err := s.apply(form{cur.layout, cur.dt})
	if err == nil {
		return cur.reshaped(f)
	}

	if !errors.Is(err, ErrNeedsCopy) {
		return nil, err
	}

	// No strides make the step a view: copy, and drop what was copied from.
	made, err := e.copied(ctx, cur, s)
	if err != nil {
		return nil, err
	}

	if err := cur.Close(); err != nil {
		made.Close()
		return nil, err
	}
	return made, nil
}

// reshaped returns a tensor of another form with the reference of t, which is no longer to be
// closed.
func (t *Tensor) reshaped(f form) (*Tensor, error) {
	if err := f.checkCountable(); err != nil {
		return nil, err
	}
	return &Tensor{own: t.own, owns: true, dt: f.dt, layout: f.layout}, nil
}

// copied returns what s makes of t, in memory of its own.
func (e evaluation) copied(ctx context.Context, t *Tensor, s Step) (*Tensor, error) {
	if s.pick != nil {
		return e.gathered(ctx, t, s.pick)
	}
	if s.method.copies != nil {
		return s.method.copies(ctx, e, t, s.args)
	}

	// The copy is in C order. A step that the layout of t ruled out is a view of it.
	packed, err := e.packed(ctx, t, t.dt)
	if err != nil {
		return nil, err
	}
	f, err := s.apply(form{packed.layout, packed.dt})
	if err == nil {
		return packed.reshaped(f)
	}

	packed.Close()
	return nil, err
}

// gathered returns what advanced indexing picks of t.
func (e evaluation) gathered(ctx context.Context, t *Tensor, pick Fancy) (*Tensor, error) {
	f, err := pick.lookUp(e.Lookup)
	if err != nil {
		return nil, err
	}
	shape, err := FancyShape(ctx, t.layout, f)
	if err != nil {
		return nil, err
	}
	return e.filled(t.dt, shape, func(dst *Tensor) error { return Gather(ctx, dst, t, f) })
}

// packed returns the elements of t in C order, converted to another type.
func (e evaluation) packed(ctx context.Context, t *Tensor, to dtype.Type) (*Tensor, error) {
	return e.filled(to, t.Shape(), func(dst *Tensor) error { return Copy(ctx, dst, t) })
}

// filled returns a new tensor that fill has written.
func (e evaluation) filled(dt dtype.Type, shape []int, fill func(dst *Tensor) error) (*Tensor, error) {
	dst, err := newPacked(e.New, dt, shape)
	if err != nil {
		return nil, err
	}
	if err := fill(dst); err != nil {
		dst.Close()
		return nil, err
	}
	return dst, nil
}
