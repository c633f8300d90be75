package tstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
)

// RestoreNames brings tensors, blobs, lazy names and groups of a backup back into the store, in one
// transaction. It replaces names that are there. Each tensor gets a storage of its own. What was
// sealed is verified, and sealed again. sources are as in Restore. A name may be one of a snapshot,
// "x@monday", and is brought back without the snapshot. A tar is unpacked beside the store first,
// and takes that room until the end.
func (s *Store) RestoreNames(ctx context.Context, sources, names []string, o *RestoreOptions) (done int, err error) {
	if err := s.eng.CheckWritable(); err != nil {
		return 0, err
	}

	dir, remove, err := s.unpacked(ctx, sources, o)
	if err != nil {
		return 0, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, remove()) }()

	// Paranoid verifies what is sealed as it is read.
	from, err := Open(ctx, dir, &Options{ReadOnly: true, Paranoid: true})
	if err != nil {
		return 0, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()

	var all []Selector
	for _, name := range names {
		found, err := from.namesIn(ctx, name)
		if err != nil {
			return 0, fmt.Errorf("restore: %w", err)
		}
		all = append(all, found...)
	}

	err = s.Update(ctx, func(tx *Tx) error {
		for _, sel := range all {
			if err := tx.restore(ctx, from, sel); err != nil {
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

	x.dir = s.eng.Dir + ".unpacked"
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
func (s *Store) namesIn(ctx context.Context, name string) ([]Selector, error) {
	name, snapshot, _ := strings.Cut(name, "@")
	name = strings.TrimSuffix(name, "/")
	entry := func(c *catalog.Tx) error { _, err := c.Get(name); return err }

	err := s.viewAt(ctx, snapshot, entry)
	if err == nil {
		return []Selector{{Name: name, Snapshot: snapshot}}, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return nil, err
	}

	var all []Selector
	for item, failed := range s.List(ctx, &ListOptions{Group: name, Recursive: true, Snapshot: snapshot}) {
		if failed != nil {
			return nil, failed
		}
		all = append(all, Selector{Name: item.Name, Snapshot: snapshot})
	}

	if len(all) == 0 {
		return nil, err
	}
	return all, nil
}

// restore gives a name the record that it has in another store.
func (tx *Tx) restore(ctx context.Context, from *Store, sel Selector) error {
	var rec catalog.Record
	err := from.viewAt(ctx, sel.Snapshot, func(c *catalog.Tx) (err error) {
		rec, err = c.Get(sel.Name)
		return err
	})
	if err != nil {
		return err
	}

	there := tx.store.eng.Catalog.View(ctx, func(c *catalog.Tx) error { _, err := c.Get(rec.Name); return err })
	if there == nil {
		there = tx.delete(rec.Name)
	}
	if there != nil && !errors.Is(there, ErrNotFound) {
		return there
	}

	if rec.Kind == catalog.KindTensor {
		return tx.restoreTensor(ctx, from, sel, rec)
	}
	return tx.putBack(rec)
}

// putBack names what another store has named so, whatever names are given now.
func (tx *Tx) putBack(rec catalog.Record) error {
	return tx.then("restore", rec.Name, func(c *catalog.Tx) error {
		if err := mustBeFree(c, rec.Name); err != nil {
			return err
		}
		return c.PutBack(rec)
	})
}

func (tx *Tx) restoreTensor(ctx context.Context, from *Store, sel Selector, rec catalog.Record) error {
	t, err := from.Get(ctx, sel.String())
	if err != nil {
		return err
	}
	src := FromTensor(t.Tensor)
	src.Attrs, src.Dims, src.Seal = rec.Attrs, rec.Dims, t.Info.Storage.Seal != nil
	if t.Info.Storage.Sparse {
		src.Reserve = Sparse
	}
	made, err := tx.write(rec.Name, src)
	if err != nil {
		return errors.Join(tx.fail("restore", rec.Name, err), t.Close())
	}
	return errors.Join(tx.putBack(*made), t.Close())
}
