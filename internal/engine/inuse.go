package engine

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storefile"
)

// Unused are files of the store that nothing needs: no storage of the catalog, no job and no
// snapshot.
//
// They are found in two steps. The first reads the catalog, the second reads each snapshot once,
// and takes no lock: snapshots do not change. Once found, a file can come into use again in two
// ways only. A writer can publish a file of the same name, which LockGC keeps off; and a restore
// can give the catalog a file of a snapshot back, which must be one that was made since, of a
// catalog that named the file. So who has the lock looks again at the catalog and at new snapshots,
// and needs no more.
type Unused struct {
	store *Store
	// bytes is the space that the files take on disk, by their paths.
	bytes map[string]int64
	// verify is set if the sums of snapshots are compared first.
	verify bool
	// read are the snapshots that are known not to name them.
	read map[catalog.ID]bool
}

func (s *Store) newUnused() *Unused {
	return &Unused{store: s, bytes: map[string]int64{}, read: map[catalog.ID]bool{}}
}

// look takes the files that the catalog or a snapshot names out of u. It returns ErrCorrupt if a
// snapshot can't be read, since that may need any file.
func (u *Unused) look(ctx context.Context) error {
	if len(u.bytes) == 0 {
		return nil
	}
	var snaps []catalog.Snapshot
	err := u.store.Catalog.View(ctx, func(c *catalog.Tx) (err error) {
		if snaps, err = u.store.statesInUse(c); err != nil {
			return err
		}
		return u.keepUnnamed(c, snaps)
	})
	if err != nil {
		return err
	}
	return u.keepUnheld(ctx, snaps)
}

// keepUnnamed leaves the files that the catalog, which has the snapshots snaps, does not name. The
// file of a snapshot that is being made is not named yet, but then the transaction of its maker
// runs: this one sees it done, or its maker is dead.
func (u *Unused) keepUnnamed(c *catalog.Tx, snaps []catalog.Snapshot) error {
	for _, snap := range snaps {
		delete(u.bytes, snap.File())
	}
	for file := range u.bytes {
		named, err := isNamed(c, file)
		if err != nil {
			return err
		}
		if named {
			delete(u.bytes, file)
		}
	}
	return nil
}

// isNamed reports whether a storage or a job of the catalog has the file. It also returns true for
// files that are not the store's, by their names. It does not look for the files of snapshots.
func isNamed(c *catalog.Tx, file string) (bool, error) {
	if _, ok := storefile.ParseSnapshot(path.Base(file)); ok && path.Dir(file) == storefile.SnapshotDir {
		return false, nil
	}
	if f, ok := storefile.ParseName(path.Base(file)); !ok || file != f.Path() {
		return true, nil
	}
	if named, err := namedBy(c, file); named || err != nil {
		return named, err
	}
	return isJobFile(c, file)
}

// namedBy reports whether a storage of the catalog, or of a snapshot, has a file.
func namedBy(c *catalog.Tx, file string) (bool, error) {
	f, ok := storefile.ParseName(path.Base(file))
	if !ok {
		return false, nil
	}
	st, err := c.Storage(f.ID)
	if errors.Is(err, catalog.ErrNotFound) {
		return false, nil
	}
	return err == nil && slices.Contains(st.OwnFiles(), file), err
}
