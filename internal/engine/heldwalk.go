package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// HeldStorage is a storage as a snapshot has it.
type HeldStorage struct {
	catalog.Storage
	Snapshot catalog.Snapshot
}

// HeldWalk goes through the storages whose files only snapshots need.
type HeldWalk struct {
	Store *Store
	// Damaged, if not nil, is called for snapshots that can't be read. Then all snapshots are
	// verified first.
	Damaged func(catalog.Snapshot, error)
	// Unused, unless it is nil, loses the files that snapshots need.
	Unused *Unused

	// page are storages of which it is not known yet whether the store needs their files, too.
	page []HeldStorage
	fn   func(HeldStorage) error
	// failed is an error that is not one of a snapshot.
	failed error
}

// Each calls fn for each storage whose file neither a newer snapshot nor the store needs, those of
// the newest snapshot first. It leaves out all or some storages of a snapshot that can't be read.
func (w *HeldWalk) Each(ctx context.Context, fn func(HeldStorage) error) (err error) {
	snaps, err := w.Store.AllSnapshots(ctx)
	if err != nil {
		return err
	}
	w.fn = fn

	images := &imageWalk{store: w.Store}
	defer func() { err = errors.Join(err, images.close()) }()

	// Newest first, so that each snapshot is compared with the newer one, which is still open.
	for _, snap := range slices.Backward(snaps) {
		err := images.view(ctx, snap, func(m *catalog.Image, c, newer *catalog.Tx) error {
			return w.addImage(ctx, m, c, newer)
		})
		// Only a cancellation or an error of the caller's fn ends the walk: a damaged snapshot is
		// reported, and the next one is read.
		switch {
		case ctx.Err() != nil || w.failed != nil:
			return errors.Join(ctx.Err(), w.failed)
		case err == nil && w.Unused != nil:
			w.Unused.read[snap.ID] = true
		case err != nil && w.Damaged != nil:
			w.Damaged(snap, err)
		}
	}

	return w.flush(ctx)
}

// addImage adds the storages of a snapshot that newer does not have with the same file. newer is
// the snapshot viewed last, or nil.
func (w *HeldWalk) addImage(ctx context.Context, m *catalog.Image, c, newer *catalog.Tx) error {
	if w.Damaged != nil {
		if err := m.Verify(ctx); err != nil {
			return err
		}
	}

	for st, err := range c.StoragesNotIn(newer) {
		if err != nil {
			return err
		}
		if w.Unused != nil {
			w.Unused.keepOther(st)
		}
		// Adopted files belong to the user. A file that newer names has been looked at with newer.
		if st.Adopted || newer != nil && isTrue(namedBy(newer, st.File())) {
			continue
		}

		w.page = append(w.page, HeldStorage{st, m.Snapshot()})
		if len(w.page) < ListPage {
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

// flush calls fn for the storages of the page whose file the store does not name. Each look at the
// catalog opens it, so one look serves a whole page.
func (w *HeldWalk) flush(ctx context.Context) error {
	var left []HeldStorage
	err := w.Store.Catalog.View(ctx, func(c *catalog.Tx) error {
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

	// fn runs outside of the transaction, since it may take long.
	w.page = w.page[:0]
	for _, st := range left {
		if err == nil {
			err = w.fn(st)
		}
	}
	return err
}
