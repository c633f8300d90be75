package tstore

import (
	"context"
	"errors"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// heldStorage is a storage as a snapshot has it.
type heldStorage struct {
	catalog.Storage
	snapshot catalog.Snapshot
}

// heldWalk goes through the storages whose files only snapshots need.
type heldWalk struct {
	store *engineStore
	// damaged, unless it is nil, is told of snapshots that can't be read. All are verified first.
	damaged func(catalog.Snapshot, error)
	// unused, unless it is nil, loses the files that snapshots need.
	unused *unused

	// page are storages of which it is not known yet whether the store needs their files, too.
	page []heldStorage
	fn   func(heldStorage) error
	// failed is an error that is not one of a snapshot.
	failed error
}

// each calls fn for each storage whose file neither a newer snapshot nor the store needs too, those of the newest
// snapshot first. Of snapshots that can't be read, all or some are left out.
func (w *heldWalk) each(ctx context.Context, fn func(heldStorage) error) (err error) {
	snaps, err := w.store.allSnapshots(ctx)
	if err != nil {
		return err
	}
	w.fn = fn
	images := &imageWalk{store: w.store}
	defer func() { err = errors.Join(err, images.close()) }()
	for _, snap := range slices.Backward(snaps) {
		err := images.view(ctx, snap, func(m *catalog.Image, c, newer *catalog.Tx) error {
			return w.addImage(ctx, m, c, newer)
		})
		switch {
		case ctx.Err() != nil || w.failed != nil:
			return errors.Join(ctx.Err(), w.failed)
		case err == nil && w.unused != nil:
			w.unused.read[snap.ID] = true
		case err != nil && w.damaged != nil:
			w.damaged(snap, err)
		}
	}
	return w.flush(ctx)
}

// addImage adds the storages of a snapshot that newer, another one or nil, does not have with the same file.
func (w *heldWalk) addImage(ctx context.Context, m *catalog.Image, c, newer *catalog.Tx) error {
	if w.damaged != nil {
		if err := m.Verify(ctx); err != nil {
			return err
		}
	}
	for st, err := range c.StoragesNotIn(newer) {
		if err != nil {
			return err
		}
		if w.unused != nil {
			w.unused.keepOther(st)
		}
		if st.Adopted || newer != nil && isTrue(namedBy(newer, st.File())) {
			continue
		}
		w.page = append(w.page, heldStorage{st, m.Snapshot()})
		if len(w.page) < listPage {
			continue
		}
		if w.failed = w.flush(ctx); w.failed != nil {
			return w.failed
		}
	}
	return nil
}

// isTrue is false, too, if that is not known.
func isTrue(b bool, err error) bool { return b && err == nil }

// flush calls fn for the storages of the page that the store does not have with the same file. Those of many snapshots
// are looked up at once, since each look at the catalog opens it.
func (w *heldWalk) flush(ctx context.Context) error {
	var left []heldStorage
	err := w.store.cat.View(ctx, func(c *catalog.Tx) error {
		for _, st := range w.page {
			named, err := namedBy(c, st.File())
			if err != nil {
				return err
			}
			if !named {
				left = append(left, st)
			}
		}
		return nil
	})
	w.page = w.page[:0]
	for _, st := range left {
		if err == nil {
			err = w.fn(st)
		}
	}
	return err
}
