package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// keepUnheld takes the files that a snapshot names out of u. It returns ErrCorrupt if a snapshot
// can't be read.
func (u *Unused) keepUnheld(ctx context.Context, snaps []catalog.Snapshot) (err error) {
	w := &imageWalk{store: u.store}
	defer func() { err = errors.Join(err, w.close()) }()

	for _, snap := range snaps {
		switch {
		case len(u.bytes) == 0:
			return nil
		case u.read[snap.ID]:
			continue
		}

		err := w.view(ctx, snap, func(m *catalog.Image, c, before *catalog.Tx) error {
			if u.verify {
				if err := m.Verify(ctx); err != nil {
					return err
				}
			}
			return u.keepUnheldBy(c, before)
		})

		if ctx.Err() != nil {
			return ctx.Err()
		}
		// Only a snapshot that is gone may be passed over: one that is there may name any file.
		if err != nil {
			if inUse, look := u.store.isInUse(ctx, snap); inUse || look != nil {
				return errors.Join(notWhole(err.Error(), ImageRemedy(snap)), look)
			}
			continue // it was removed meanwhile
		}

		u.read[snap.ID] = true
	}
	return nil
}

// fewFiles is how many files are looked up one by one in a snapshot. For more, its storages are
// gone through.
const fewFiles = 64

// keepUnheldBy takes the files that the snapshot c names out of u. If before is not nil, the same
// was done for it, so only storages that differ from those of before are decoded.
func (u *Unused) keepUnheldBy(c, before *catalog.Tx) error {
	// A few files are looked up by name, which reads fewer pages than a walk over all storages.
	if len(u.bytes) <= fewFiles {
		for file := range u.bytes {
			named, err := namedBy(c, file)
			if err != nil {
				return err
			}
			if named {
				delete(u.bytes, file)
			}
		}
		return nil
	}

	for st, err := range c.StoragesNotIn(before) {
		if err != nil {
			return err
		}
		u.keepOther(st)
	}
	return nil
}

// keepOther leaves the files that st, a storage of a snapshot, does not have.
func (u *Unused) keepOther(st catalog.Storage) {
	for _, file := range st.OwnFiles() {
		delete(u.bytes, file)
	}
}

// statesInUse returns all of snapshotsInUse.
func (s *Store) statesInUse(c *catalog.Tx) ([]catalog.Snapshot, error) {
	all, held, err := s.snapshotsInUse(c)
	return slices.Concat(held, all), err
}

// isInUse reports whether a snapshot is still there, or a backup at work has it.
func (s *Store) isInUse(ctx context.Context, snap catalog.Snapshot) (inUse bool, err error) {
	err = s.Catalog.View(ctx, func(c *catalog.Tx) error {
		snaps, err := s.statesInUse(c)
		inUse = slices.ContainsFunc(snaps, func(other catalog.Snapshot) bool { return other.ID == snap.ID })
		return err
	})
	return inUse, err
}
