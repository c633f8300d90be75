package backup

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/storefile"
)

// hold keeps the state of the store that a backup copies, as a snapshot does. Its owner has the
// lock byte of the snapshot's id, which tells a dead backup from one at work. If the disk is full
// or the store is read-only, there is only a copy of the catalog, outside of the store.
type hold struct {
	store *Store
	snap  catalog.Snapshot
	// file is the catalog of the state.
	file string
	// state is by what a later backup finds that the store has been in that state.
	state string
	lock  *filelock.Held
	// scratch begins the names of files that are made elsewhere, in dir if that is to be removed;
	// kept is the state that is one of them. Not of a snapshot.
	scratch string
	dir     string
	kept    *engine.Image
}

// hold holds the state that the store has now. scratch begins the names of files in case that it
// takes none; empty: they have names of their own. follows is the number of the earlier backup, if
// there is one.
func (s *Store) hold(ctx context.Context, scratch string, follows catalog.ID) (*hold, error) {
	if s.Engine.Options.ReadOnly {
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
	if _, err := s.Engine.DropDeadHolds(ctx); err != nil {
		return nil, err
	}
	id := catalog.NewID()
	lock, err := filelock.TryLock(s.Engine.LockPath(), engine.StorageKey(id), filelock.Exclusive)
	if err != nil {
		return nil, err
	}
	snap, err := s.Engine.TakeSnapshot(ctx, catalog.Snapshot{Name: engine.HoldName(id), ID: id, Note: "made for a backup by " + engine.WriterName()},
		func(c *catalog.Tx) error { return c.AddBackup(id, follows) })
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return &hold{store: s, snap: snap, file: s.Engine.Path(snap.File()), state: id.String(), lock: lock}, nil
}

// tmpCatalog returns the file in which the catalog of a tar is made, in tmp/ under the lock byte of
// the hold.
func (h *hold) tmpCatalog() string {
	if h.kept != nil {
		return h.scratch + scratchCatalog
	}
	return h.store.Engine.Path(path.Join(storefile.TmpDir, h.snap.ID.String()+storefile.TmpCatalogEnd))
}

// release lets go of the state, also when the backup was cancelled.
func (h *hold) release(ctx context.Context) error {
	if h.kept != nil {
		return h.forget()
	}
	err := h.store.Engine.DropHold(context.WithoutCancel(ctx), h.snap)
	return errors.Join(err, h.lock.Unlock())
}
