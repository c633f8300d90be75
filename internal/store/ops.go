package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/view"
)

// Create makes a new tensor.
func (s *Store) Create(ctx context.Context, name string, src Source) error {
	if err := s.MustLookFree(ctx, name); err != nil {
		return fmt.Errorf("create %q: %w", name, err)
	}
	return s.Update(ctx, func(tx *Tx) error { return tx.Create(name, src) })
}

// CreateFilled makes a new tensor whose elements fill writes; see Tx.CreateFilled.
func (s *Store) CreateFilled(ctx context.Context, name string, sp Spec, fill func(*view.Tensor) error) error {
	if err := s.MustLookFree(ctx, name); err != nil {
		return fmt.Errorf("create %q: %w", name, err)
	}
	return s.Update(ctx, func(tx *Tx) error { return tx.CreateFilled(name, sp, fill) })
}

// MustLookFree returns ErrExists early if a name is taken. The commit looks again.
func (s *Store) MustLookFree(ctx context.Context, name string) error {
	if err := errors.Join(s.Engine.CheckOpen(), catalog.CheckName(name)); err != nil {
		return err
	}
	if s.Within != nil && s.Within.touches(name) {
		return nil
	}
	_, err := s.Engine.Catalog.Lookup(ctx, name)
	if errors.Is(err, ErrNotFound) {
		return catalog.CheckNewName(name)
	}
	if err != nil {
		return err
	}
	return ErrExists
}

// GetOrCreate opens the tensor of that name, or makes it, filled with zeros. created says which.
func (s *Store) GetOrCreate(ctx context.Context, name string, sp Spec) (t *Tensor, created bool, err error) {
	err = s.Create(ctx, name, Source{Spec: sp})
	if err != nil && !errors.Is(err, ErrExists) {
		return nil, false, err
	}
	created = err == nil
	if t, err = s.Get(ctx, name); err != nil {
		return nil, created, err
	}
	if t.DType() != sp.DType || !slices.Equal(t.Shape(), sp.Shape) {
		err = fmt.Errorf("%q: expected %v of shape %s, found %v of shape %s", name, sp.DType, ShapeText(sp.Shape), t.DType(), ShapeText(t.Shape()))
		return nil, false, errors.Join(err, t.Close())
	}
	return t, created, nil
}

// Replace gives an existing tensor new elements, and with them a new shape and dtype, atomically;
// see Tx.Replace.
func (s *Store) Replace(ctx context.Context, name string, src Source) error {
	if err := CheckLabels(src.Dims, src.Attrs); err != nil {
		return fmt.Errorf("replace %q: %w", name, err)
	}
	return s.Update(ctx, func(tx *Tx) error { return tx.replace(name, src) })
}

// View names the part of a tensor that sel selects.
func (s *Store) View(ctx context.Context, name, sel string) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.View(name, sel) })
}

// Rename gives a tensor, a blob or a whole group another name.
func (s *Store) Rename(ctx context.Context, from, to string) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.Rename(from, to) })
}

// Delete removes tensors and blobs, all or none.
func (s *Store) Delete(ctx context.Context, names ...string) error {
	return s.Update(ctx, func(tx *Tx) error {
		for _, name := range names {
			if err := tx.Remove(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// Attrs returns the attributes of a tensor or a blob. Don't change the map.
func (s *Store) Attrs(ctx context.Context, name string) (map[string]catalog.Value, error) {
	e, err := s.Lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	return e.Record.Attrs, nil
}

// SetAttr sets one attribute.
func (s *Store) SetAttr(ctx context.Context, name, key string, v catalog.Value) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.SetAttr(name, key, v) })
}

// DeleteAttr removes one attribute.
func (s *Store) DeleteAttr(ctx context.Context, name, key string) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.DeleteAttr(name, key) })
}

// PutBlob stores a small typed value under a name.
func (s *Store) PutBlob(ctx context.Context, name string, v catalog.Value) error {
	return s.Update(ctx, func(tx *Tx) error { return tx.PutBlob(name, v) })
}

// Blob returns the value of a blob. It returns ErrWrongKind if the name is of another kind.
func (s *Store) Blob(ctx context.Context, name string) (catalog.Value, error) {
	e, err := s.Lookup(ctx, name)
	if err != nil {
		return catalog.Value{}, err
	}
	if e.Record.Kind != catalog.KindBlob {
		return catalog.Value{}, fmt.Errorf("%w: %q is a %v, not a blob", ErrWrongKind, name, e.Record.Kind)
	}
	return e.Record.Blob, nil
}

// Lookup returns the catalog's entry of a name of any kind, or of a name in a snapshot, "x@monday".
func (s *Store) Lookup(ctx context.Context, name string) (*catalog.Entry, error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return nil, err
	}
	if _, err := ParseSource(name); err != nil {
		return nil, err
	}
	return s.EntryOf(ctx, name)
}

// Sharers returns up to limit names of the tensors that share the storage of a tensor, its own
// among them; of one in a snapshot, those in the snapshot.
func (s *Store) Sharers(ctx context.Context, name string, limit int) ([]string, error) {
	info, err := s.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	var names []string
	sharers := func(c *catalog.Tx) error {
		names, err = c.Sharers(info.Storage.ID, limit)
		return err
	}
	if info.Selector.Snapshot != "" {
		err = s.Engine.ViewSnapshot(ctx, info.Selector.Snapshot, sharers)
	} else {
		err = s.Engine.Catalog.View(ctx, sharers)
	}
	return names, err
}
