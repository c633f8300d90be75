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

// hold is a state of the store that is kept while a backup copies it. Usually it is a snapshot with
// a hidden name. Its owner has the lock byte of the snapshot's id, which tells a dead backup from
// one at work. If the disk is full or the store is read-only, it is a copy of the catalog outside
// of the store, and nothing keeps others from changing the files.
type hold struct {
	store *Store
	snap  catalog.Snapshot
	// file is the catalog of the state.
	file string
	// state identifies the state, so that a later backup can tell that the store has been in it.
	state string
	lock  *filelock.Held
	// Of a copy: scratch begins the names of its files, dir is the folder of their own that goes with
	// them, or empty, and copied is the catalog. A snapshot has none of them.
	scratch string
	dir     string
	copied  *engine.Image
}

// holdState holds the state that the store has now, by a snapshot where the disk takes one. scratch
// begins the names of the files of a copy; if it is empty, a copy gets a folder of its own. follows
// is the number of the earlier backup, or zero.
func (s *Store) holdState(ctx context.Context, scratch string, follows catalog.ID) (*hold, error) {
	if s.Engine.Options.ReadOnly {
		return s.holdByCopy(ctx, scratch)
	}
	h, err := s.holdBySnapshot(ctx, follows)
	if !takesNoSnapshot(err) {
		return h, err
	}
	h, failed := s.holdByCopy(ctx, scratch)
	if failed != nil {
		return nil, fmt.Errorf("%w (a snapshot: %v)", failed, err)
	}
	return h, nil
}

// holdBySnapshot takes a snapshot with a hidden name, under the lock byte of its id.
func (s *Store) holdBySnapshot(ctx context.Context, follows catalog.ID) (*hold, error) {
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

// tmpCatalog returns the file in which the catalog of a tar is made: beside the copy, or in tmp/
// under the lock byte of the snapshot.
func (h *hold) tmpCatalog() string {
	if h.copied != nil {
		return h.scratch + scratchCatalog
	}
	return h.store.Engine.Path(path.Join(storefile.TmpDir, h.snap.ID.String()+storefile.TmpCatalogEnd))
}

// release gives the state up, also when ctx has ended.
func (h *hold) release(ctx context.Context) error {
	if h.copied != nil {
		return h.removeCopy()
	}
	err := h.store.Engine.DropHold(context.WithoutCancel(ctx), h.snap)
	return errors.Join(err, h.lock.Unlock())
}
