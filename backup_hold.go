package tstore

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
)

// holdPrefix begins the names of the snapshots that backups copy.
const holdPrefix = ".backup-"

func isHold(name string) bool { return strings.HasPrefix(name, holdPrefix) }

func holdName(id catalog.ID) string { return holdPrefix + id.String()[:16] }

// hold keeps the state of the store that a backup copies, as a snapshot does. Its
// owner has the lock byte of the snapshot's id, so that what a dead one left is
// told from one at work. On a full disk, and of a store that is read only, there is
// only a copy of the catalog, which lies elsewhere.
type hold struct {
	store *Store
	snap  catalog.Snapshot
	// file is the catalog of the state.
	file string
	// state is by what a later backup finds that the store has been in that state.
	state string
	lock  *filelock.Held
	// scratch begins the names of files that are made elsewhere, in dir if that is to
	// be removed; kept is the state that is one of them. Not of a snapshot.
	scratch string
	dir     string
	kept    *image
}

// hold holds the state that the store has now. scratch begins the names of files in
// case that it takes none; empty: they have names of their own. follows is the number
// of the earlier backup, if there is one.
func (s *Store) hold(ctx context.Context, scratch string, follows catalog.ID) (*hold, error) {
	if s.opts.ReadOnly {
		return s.keep(ctx, scratch)
	}
	h, err := s.holdSnapshot(ctx, follows)
	if !takesNoSnapshot(err) {
		return h, err
	}
	h, failed := s.keep(ctx, scratch)
	if failed != nil {
		return nil, fmt.Errorf("%w (a snapshot: %v)", failed, err)
	}
	return h, nil
}

func (s *Store) holdSnapshot(ctx context.Context, follows catalog.ID) (*hold, error) {
	if _, err := s.dropDeadHolds(ctx); err != nil {
		return nil, err
	}
	id := catalog.NewID()
	lock, err := filelock.TryLock(s.lockPath(), storageKey(id), filelock.Exclusive)
	if err != nil {
		return nil, err
	}
	snap, err := s.takeSnapshot(ctx, catalog.Snapshot{Name: holdName(id), ID: id, Note: "made for a backup by " + writerName()},
		func(c *catalog.Tx) error { return c.AddBackup(id, follows) })
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return &hold{store: s, snap: snap, file: s.path(snap.File()), state: id.String(), lock: lock}, nil
}

// tmpCatalog is the file in which the catalog of a tar is made, in tmp/ under the
// lock byte of the hold.
func (h *hold) tmpCatalog() string {
	if h.kept != nil {
		return h.scratch + scratchCatalog
	}
	return h.store.path(path.Join(tmpDir, h.snap.ID.String()+tmpCatalogEnd))
}

// release lets go of the state, also when the backup was cancelled.
func (h *hold) release(ctx context.Context) error {
	if h.kept != nil {
		return h.forget()
	}
	err := h.store.dropHold(context.WithoutCancel(ctx), h.snap)
	return errors.Join(err, h.lock.Unlock())
}

func (s *Store) dropHold(ctx context.Context, snap catalog.Snapshot) error {
	if _, err := s.removeSnapshot(ctx, snap.Name); !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// deadHolds are those whose backup has died.
func (s *Store) deadHolds(ctx context.Context) ([]catalog.Snapshot, error) {
	all, err := s.allSnapshots(ctx)
	var dead []catalog.Snapshot
	for _, snap := range all {
		if !isHold(snap.Name) {
			continue
		}
		busy, err := s.storageBusy(snap.ID)
		if err != nil {
			return nil, err
		}
		if !busy {
			dead = append(dead, snap)
		}
	}
	return dead, err
}

// mustBeDead is ErrBusy while a backup needs what it holds.
func (s *Store) mustBeDead(snap catalog.Snapshot) error {
	busy, err := s.storageBusy(snap.ID)
	if err == nil && busy {
		err = fmt.Errorf("%w: a backup at work needs the snapshot %q, and removes it in the end", ErrBusy, snap.Name)
	}
	return err
}

// dropDeadHolds returns those that it has removed.
func (s *Store) dropDeadHolds(ctx context.Context) ([]catalog.Snapshot, error) {
	dead, err := s.deadHolds(ctx)
	for i, snap := range dead {
		if err := s.dropHold(ctx, snap); err != nil {
			return dead[:i], err
		}
	}
	return dead, err
}

// snapshotsInUse are the snapshots of the catalog, and beside them those that have
// been removed since a backup began that copies them.
func (s *Store) snapshotsInUse(c *catalog.Tx) (all, held []catalog.Snapshot, err error) {
	if all, err = c.Snapshots(); err != nil {
		return nil, nil, err
	}
	for _, snap := range all {
		if !isHold(snap.Name) {
			continue
		}
		err := s.withImage(snap, func(m *catalog.Image) error {
			return m.View(context.Background(), func(c *catalog.Tx) error {
				then, err := c.Snapshots()
				held = append(held, slices.DeleteFunc(then, func(snap catalog.Snapshot) bool { return isHold(snap.Name) })...)
				return err
			})
		})
		if err != nil {
			return all, nil, err
		}
	}
	return all, held, nil
}
