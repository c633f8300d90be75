package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/store"
)

// RestoreNames brings tensors, blobs, lazy names and groups of a backup back into the store, in one
// transaction.
func (s *Store) RestoreNames(ctx context.Context, sources, names []string, o *RestoreOptions) (done int, err error) {
	if err := s.Engine.CheckWritable(); err != nil {
		return 0, err
	}

	dir, remove, err := s.unpacked(ctx, sources, o)
	if err != nil {
		return 0, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()

	// Paranoid verifies what is sealed as it is read.
	from, err := open(ctx, dir, &store.Options{ReadOnly: true, Paranoid: true})
	if err != nil {
		return 0, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()

	var all []store.Selector
	for _, name := range names {
		found, err := from.namesIn(ctx, name)
		if err != nil {
			return 0, fmt.Errorf("restore: %w", err)
		}
		all = append(all, found...)
	}

	err = s.Update(ctx, func(tx *store.Tx) error {
		for _, sel := range all {
			if err := restoreName(ctx, tx, from, sel); err != nil {
				return fmt.Errorf("restore %s: %w", sel, err)
			}
		}
		return nil
	})
	return len(all), err
}

// unpacked returns the folder of a backup as a store, and a function that removes what it unpacked.
func (s *Store) unpacked(ctx context.Context, sources []string, o *RestoreOptions) (dir string, remove func() error, err error) {
	if len(sources) == 1 {
		if fi, err := os.Stat(sources[0]); err == nil && fi.IsDir() {
			a, err := openArchive(ctx, sources[0], nil)
			return sources[0], func() error { return nil }, errors.Join(err, a.close())
		}
	}

	x, err := openExtraction(ctx, fsx.OS, sources, o)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, x.close()) }()

	x.dir = s.Engine.Dir + ".unpacked"
	if err := x.plan(); err != nil {
		return "", nil, err
	}

	lock, err := x.begin()
	if err != nil {
		return "", nil, err
	}

	// The lock goes last: until then nobody takes the folder for one left behind.
	remove = func() error { return errors.Join(removeFolder(x.fs, x.dir), lock.Unlock()) }
	if _, err := x.makeStore(ctx); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return x.dir, remove, nil
}

// namesIn returns the names that a name stands for: itself, or the names in a group.
func (s *Store) namesIn(ctx context.Context, name string) ([]store.Selector, error) {
	name, snapshot, _ := strings.Cut(name, "@")
	name = strings.TrimSuffix(name, "/")
	entry := func(c *catalog.Tx) error { _, err := c.Get(name); return err }

	err := s.ViewAt(ctx, snapshot, entry)
	if err == nil {
		return []store.Selector{{Name: name, Snapshot: snapshot}}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}

	var all []store.Selector
	for item, failed := range s.List(ctx, &store.ListOptions{Group: name, Recursive: true, Snapshot: snapshot}) {
		if failed != nil {
			return nil, failed
		}
		all = append(all, store.Selector{Name: item.Name, Snapshot: snapshot})
	}

	if len(all) == 0 {
		return nil, err
	}
	return all, nil
}

// restoreName gives a name the record that it has in another store.
func restoreName(ctx context.Context, tx *store.Tx, from *Store, sel store.Selector) error {
	var rec catalog.Record
	err := from.ViewAt(ctx, sel.Snapshot, func(c *catalog.Tx) (err error) {
		rec, err = c.Get(sel.Name)
		return err
	})
	if err != nil {
		return err
	}

	there := tx.Base.Engine.Catalog.View(ctx, func(c *catalog.Tx) error { _, err := c.Get(rec.Name); return err })
	if there == nil {
		there = tx.Remove(rec.Name)
	}
	if there != nil && !errors.Is(there, store.ErrNotFound) {
		return there
	}

	if rec.Kind == catalog.KindTensor {
		return restoreTensor(ctx, tx, from, sel, rec)
	}
	return putBack(tx, rec)
}

// putBack names what another store has named so, whatever names are given now.
func putBack(tx *store.Tx, rec catalog.Record) error {
	return tx.AtCommit("restore", rec.Name, func(c *catalog.Tx) error {
		if err := store.MustBeFree(c, rec.Name); err != nil {
			return err
		}
		return c.PutBack(rec)
	})
}

func restoreTensor(ctx context.Context, tx *store.Tx, from *Store, sel store.Selector, rec catalog.Record) error {
	t, err := from.Get(ctx, sel.String())
	if err != nil {
		return err
	}
	src := store.FromTensor(t.Tensor)
	src.Attrs, src.Dims, src.Seal = rec.Attrs, rec.Dims, t.Info.Storage.Seal != nil
	if t.Info.Storage.Sparse {
		src.Reserve = store.Sparse
	}
	made, err := tx.Write(rec.Name, src)
	if err != nil {
		return errors.Join(tx.Fail("restore", rec.Name, err), t.Close())
	}
	return errors.Join(putBack(tx, *made), t.Close())
}
