package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"reflect"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storefile"
)

// TakeSnapshot makes a snapshot. also, if not nil, changes the catalog in the same transaction.
func (s *Store) TakeSnapshot(ctx context.Context, wanted catalog.Snapshot, also func(*catalog.Tx) error) (snap catalog.Snapshot, err error) {
	if err := s.makeFolders(s.Path(storefile.SnapshotDir)); err != nil {
		return snap, err
	}

	// No storage of a snapshot may be half-written. Writers go on meanwhile, so complete what is
	// open and try again until the patience ends.
	for began := time.Now(); ; {
		var busy *uncleanError
		snap, err = s.copyCatalog(ctx, wanted, also)
		if !errors.As(err, &busy) {
			return snap, err
		}
		if time.Since(began) > s.Options.Patience() {
			return snap, fmt.Errorf("%w: %w", catalog.ErrLockTimeout, err)
		}
		if err := s.finishAll(ctx, busy.storages); err != nil {
			return snap, err
		}
	}
}

// uncleanError lists storages whose elements are being changed in place, or may not be on the disk
// yet.
type uncleanError struct{ storages []catalog.Storage }

func (e *uncleanError) Error() string {
	return fmt.Sprintf("%d storages are being changed", len(e.storages))
}

// finishAll applies the patches of storages, and syncs what was left to the system to write. It
// returns ErrBusy or ErrDirty if a storage is being written in place, or was left so.
func (s *Store) finishAll(ctx context.Context, unclean []catalog.Storage) error {
	for _, st := range unclean {
		names, err := s.SharersOf(ctx, st.ID)
		if err != nil {
			return err
		}

		switch {
		case st.State == catalog.Dirty:
			err = s.DirtyError(ctx, st, names)
		case st.State == catalog.Patching:
			err = s.RecoverPatch(ctx, st.ID, strings.Join(names[:min(len(names), 1)], ""))
		case IsUnwritten(st):
			return UnsyncedError(names)
		default:
			err = s.syncStorage(ctx, st)
		}

		// A storage that was deleted meanwhile is in no snapshot.
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
	}
	return nil
}

// UnsyncedError returns the ErrUnsynced of tensors.
func UnsyncedError(names []string) error {
	return fmt.Errorf("%w: %s: accept it with: tstore fsck --accept-dirty, or restore it", ErrUnsynced, QuoteNames(names))
}

// DirtyError returns an error that names who left the elements of tensors unfinished. It returns
// nil if that has changed meanwhile.
func (s *Store) DirtyError(ctx context.Context, st catalog.Storage, names []string) error {
	all := QuoteNames(names)
	dead, err := s.DeadWriters(st)
	if err != nil {
		return err
	}
	if len(dead) == 0 {
		return fmt.Errorf("%w: %s is writing %s in place: try again when it has finished", ErrBusy, Tell(Writers(st)), all)
	}
	if now, err := s.StorageNow(ctx, st.ID); err != nil || !reflect.DeepEqual(now, st) {
		return err
	}
	return fmt.Errorf("%w: %s did not finish writing %s in place: accept it with: tstore fsck --accept-dirty, or restore it", ErrDirty, Tell(dead), all)
}

// QuoteNames returns a list of names for an error.
func QuoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}

// copyCatalog makes the file of a snapshot and names it, in one transaction. The file holds the
// state before that transaction.
func (s *Store) copyCatalog(ctx context.Context, snap catalog.Snapshot, also func(*catalog.Tx) error) (catalog.Snapshot, error) {
	final := s.Path(snap.File())

	err := s.Commit(ctx, func(c *catalog.Tx) error {
		if err := s.mayBeNamed(c, snap.Name); err != nil {
			return err
		}
		var err error
		// The copy must be durable before anything names it.
		if snap.Bytes, snap.Sum, err = s.writeSnapshot(c, final); err != nil {
			return err
		}
		if err := c.PutSnapshot(snap); err != nil {
			return err
		}

		if also != nil {
			if err := also(c); err != nil {
				return err
			}
		}

		snap, err = c.Snapshot(snap.Name)
		return err
	})

	// In doubt, the catalog may name the file: leave it there.
	switch {
	case errors.Is(err, catalog.ErrInDoubt):
		s.Poison(err)
	case err != nil:
		// What can't be removed now is removed by gc: nothing names it.
		_, _ = s.FS.Remove(final+storefile.SnapshotTemp), s.FS.Remove(final)
	}
	return snap, err
}

// mayBeNamed returns ErrExists if a snapshot has the name, and an uncleanError if storages must be
// completed or synced first.
func (s *Store) mayBeNamed(c *catalog.Tx, name string) error {
	if _, err := c.Snapshot(name); !errors.Is(err, catalog.ErrNotFound) {
		if err == nil {
			err = catalog.ErrExists
		}
		return err
	}

	// The files of a snapshot never change again: all of them must be complete, and synced if the
	// store syncs at all.
	var unclean []catalog.Storage
	for st, err := range c.Storages() {
		if err != nil {
			return err
		}
		unsynced := st.State == catalog.Clean && st.Boot != "" && s.Level != storefile.DurabilityNone
		if unsynced || st.State == catalog.Dirty || st.State == catalog.Patching {
			unclean = append(unclean, st)
		}
	}

	if unclean != nil {
		return &uncleanError{unclean}
	}
	return nil
}

// writeSnapshot copies the catalog into the file final, and makes the copy and its name durable.
func (s *Store) writeSnapshot(c *catalog.Tx, final string) (bytes int64, sum uint32, err error) {
	f, err := s.FS.OpenFile(final+storefile.SnapshotTemp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, 0, err
	}

	bytes, sum, err = c.Copy(f)
	if err != nil {
		return 0, 0, errors.Join(err, f.Close())
	}

	// Sync, rename, sync the folder: no crash leaves half a copy under the final name.
	if err := s.SyncFile(f); err != nil {
		return 0, 0, errors.Join(s.Poison(fmt.Errorf("sync %s: %w", final, err)), f.Close())
	}
	if err := errors.Join(f.Close(), s.FS.Rename(final+storefile.SnapshotTemp, final)); err != nil {
		return 0, 0, err
	}
	if err := s.SyncDir(path.Dir(final)); err != nil {
		return 0, 0, s.Poison(fmt.Errorf("sync folder %s: %w", path.Dir(final), err))
	}
	return bytes, sum, nil
}

// AllSnapshots returns all snapshots, the oldest first, with those that backups hold.
func (s *Store) AllSnapshots(ctx context.Context) (all []catalog.Snapshot, err error) {
	if err := s.CheckOpen(); err != nil {
		return nil, err
	}
	err = s.Catalog.View(ctx, func(c *catalog.Tx) error {
		all, err = c.Snapshots()
		return err
	})
	return all, err
}
