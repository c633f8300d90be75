package tstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// scratchInMemory is the largest copy that Evaluate makes in memory.
const scratchInMemory = 64 << 20

// Evaluate opens what sel selects, like Get, and copies where no view will do:
// index arrays ("x[[1, 5, 7]]"), masks ("x[mask]", with mask the name of
// another tensor), shapes that no strides can express, "astype". Of a lazy name
// it computes what is selected. What it made lives until the tensor is closed:
// in memory, or from 64 MiB on in a file that no other program sees and that is
// gone when the process ends.
func (s *Store) Evaluate(ctx context.Context, sel string) (*Tensor, error) {
	return s.EvaluateWith(ctx, sel, nil)
}

// EvaluateWith is Evaluate with options for what is computed.
func (s *Store) EvaluateWith(ctx context.Context, sel string, o *EvalOptions) (*Tensor, error) {
	parsed, err := s.resolve(ctx, sel)
	if err != nil {
		return nil, err
	}
	t, err := s.get(ctx, parsed)
	switch {
	case errors.Is(err, ErrLazy):
		return s.evaluateLazy(ctx, parsed, o)
	case !errors.Is(err, view.ErrNeedsCopy):
		return t, err
	}
	base, err := s.get(ctx, Selector{Name: parsed.Name})
	if err != nil {
		return nil, err
	}
	defer base.Close()
	operands := operands{ctx: ctx, store: s}
	made, err := parsed.Chain.Eval(base.Tensor, &view.EvalOptions{
		Lookup: operands.open,
		New:    func(size int64) (*mmapstore.Storage, error) { return s.scratch(ctx, size) },
	})
	err = errors.Join(err, operands.close())
	if err == nil {
		err = base.Unchanged()
	}
	if err != nil {
		if made != nil {
			err = errors.Join(err, made.Close())
		}
		return nil, fmt.Errorf("%s: %w", sel, err)
	}
	info := *base.Info
	info.Selector, info.Layout, info.DType, info.Copied = parsed, made.Layout(), made.DType(), true
	return &Tensor{Tensor: made, Info: &info, store: s}, nil
}

// StatEvaluated describes what Evaluate makes of sel. Of a lazy name nothing is
// computed for it but masks and the like, on which shapes depend; what has to
// be copied is.
func (s *Store) StatEvaluated(ctx context.Context, sel string) (*Info, error) {
	parsed, err := s.resolve(ctx, sel)
	if err != nil {
		return nil, err
	}
	info, err := s.stat(ctx, parsed)
	switch {
	case errors.Is(err, ErrLazy):
		return s.statLazy(ctx, parsed)
	case !errors.Is(err, view.ErrNeedsCopy):
		return info, err
	}
	t, err := s.Evaluate(ctx, sel)
	if err != nil {
		return nil, err
	}
	return t.Info, t.Close()
}

// operands are the tensors that a chain names in brackets.
type operands struct {
	ctx    context.Context
	store  *Store
	opened []*Tensor
}

func (o *operands) open(name string) (*view.Tensor, error) {
	t, err := o.store.Evaluate(o.ctx, name)
	if err != nil {
		return nil, err
	}
	o.opened = append(o.opened, t)
	return t.Tensor, nil
}

func (o *operands) close() error {
	var errs []error
	for _, t := range o.opened {
		errs = append(errs, t.Unchanged(), t.Close())
	}
	return errors.Join(errs...)
}

// scratch is room for a copy that nobody else sees.
func (s *Store) scratch(ctx context.Context, size int64) (*mmapstore.Storage, error) {
	if size >= scratchInMemory {
		return s.scratchFile(ctx, size)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return mmapstore.New(size)
}

// scratchFile is scratch in a file.
func (s *Store) scratchFile(ctx context.Context, size int64) (*mmapstore.Storage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return mmapstore.WithAllocator(mmapstore.File{Dir: s.scratchDir()}, size)
}

// scratchDir is the folder for files that nobody else sees.
func (s *Store) scratchDir() string {
	if s.opts.ReadOnly {
		return os.TempDir()
	}
	return s.path(tmpDir)
}
