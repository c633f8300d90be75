package tstore

import (
	"context"

	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/work"
	"github.com/tstore/tstore/view"
)

// Tensor is a tensor of the store, open for reading. It keeps the bytes and the length that it was
// opened with, also when the name is replaced, appended to or deleted meanwhile. Close it after
// use; tensors derived from it by slicing borrow from it.
type Tensor struct {
	*view.Tensor
	// Info is what the catalog said when the tensor was opened.
	Info *Info

	in *store.Tensor
}

func tensorOf(t *store.Tensor) *Tensor {
	if t == nil {
		return nil
	}
	// One allocation holds both.
	both := struct {
		tensor Tensor
		info   Info
	}{Tensor{Tensor: t.Tensor, in: t}, toInfo(t.Info)}
	both.tensor.Info = &both.info
	return &both.tensor
}

// Unchanged returns an error if the tensor's bytes live in an adopted file that has changed since
// it was opened: what was read may then be a mixture. It costs nothing for other tensors. Copies
// and exports call it at their end.
func (t *Tensor) Unchanged() error { return t.in.Unchanged() }

// Get opens the tensor that sel names, or a view of one, for reading: "x", "group/x[0:10]", "x.T".
// No element is copied. Get returns view.ErrNeedsCopy for a selector that can't be a view, and for
// an expression: Evaluate computes these. The caller closes the tensor.
func (s *Store) Get(ctx context.Context, sel string) (*Tensor, error) {
	r, err := s.store.Get(ctx, sel)
	return tensorOf(r), err
}

// Opened is a *Tensor or a *Reading.
type Opened interface {
	opened() work.Opened
}

func (t *Tensor) opened() work.Opened  { return t.in }
func (r *Reading) opened() work.Opened { return r.in }

// GetAll opens several selectors as Get opens one, all in the state of one commit. As with Get, the
// tensors show small changes that are made in place later: OneState finds them.
func (s *Store) GetAll(ctx context.Context, sels ...string) ([]*Tensor, error) {
	r, err := s.work().GetAll(ctx, sels...)
	return each(r, tensorOf), err
}

// OneState returns ErrConflict unless all elements read from opened belong to one state of the
// store, the present one. Otherwise others have changed, made or removed some of them since they
// were opened: open and read them again. In a transaction it returns nil, since the commit tells.
func (s *Store) OneState(ctx context.Context, opened ...Opened) error {
	return s.work().OneState(ctx, each(opened, Opened.opened)...)
}
