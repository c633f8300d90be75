package tstore

import (
	"context"

	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// Foreign describes elements in a file that is not the store's: Spec's elements, little endian and
// dense, from byte Offset on.
type Foreign struct {
	Spec
	Path   string
	Offset int64
}

func (f Foreign) inner() store.Foreign {
	return store.Foreign{Spec: f.Spec.inner(), Path: f.Path, Offset: f.Offset}
}

// Adopt names the elements of a foreign file, which stays where it is: nothing is copied. The
// tensor is read-only. Opening it returns ErrChanged if the file's size, modification time or inode
// has changed.
func (s *Store) Adopt(ctx context.Context, name string, f Foreign) error {
	return s.store.Adopt(ctx, name, f.inner())
}

// Create makes a new tensor. It returns ErrExists if the name is taken. It is visible when Create
// returns, with all its elements durable, or not at all.
func (s *Store) Create(ctx context.Context, name string, src Source) error {
	return s.store.Create(ctx, name, src.inner())
}

// CreateFilled makes a new tensor whose elements fill writes; see Tx.CreateFilled.
func (s *Store) CreateFilled(ctx context.Context, name string, sp Spec, fill func(*view.Tensor) error) error {
	return s.store.CreateFilled(ctx, name, sp.inner(), fill)
}

// GetOrCreate opens the tensor of that name, or makes it, filled with zeros. created says which. It
// returns an error if the tensor has another dtype or shape.
func (s *Store) GetOrCreate(ctx context.Context, name string, sp Spec) (t *Tensor, created bool, err error) {
	in, created, err := s.store.GetOrCreate(ctx, name, sp.inner())
	return tensorOf(in), created, err
}

// Replace gives an existing tensor new elements, and with them a new shape and dtype, atomically;
// see Tx.Replace.
func (s *Store) Replace(ctx context.Context, name string, src Source) error {
	return s.store.Replace(ctx, name, src.inner())
}
