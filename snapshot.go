package tstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
)

// snapshotDir is the folder of the files of snapshots.
const snapshotDir = "snapshots"

// snapshotTemp is what a snapshot's file is called in addition while it is made.
const snapshotTemp = ".tmp"

// CreateSnapshot keeps the state that the store has now under a name: all names
// with what they stand for, and their elements. Selectors read it, as in
// "x@monday[0:10]"; Store.RestoreSnapshot brings it back. No element is copied:
// a snapshot takes the time and the space of a copy of the catalog, or none
// where the file system shares blocks. Later, the first change of elements that
// it has copies their storage, and what is deleted keeps its disk space.
//
// ErrExists when there is a snapshot of that name. Elements that are being
// written in place are ErrBusy, those of a writer that died ErrDirty, with the
// names of the tensors. What was written with a durability of less than
// DurabilityPower is synced first, unless the store's is DurabilityNone. Adopted files are not kept: they are read as long as
// they stay unchanged. note, which may be empty, is what Snapshots tells of it.
func (s *Store) CreateSnapshot(ctx context.Context, name, note string) (catalog.Snapshot, error) {
	end, err := s.beginChange()
	if err != nil {
		return catalog.Snapshot{}, err
	}
	defer end()
	snap, err := s.createSnapshot(ctx, name, note)
	if err != nil {
		return snap, fmt.Errorf("snapshot %q: %w", name, err)
	}
	return snap, nil
}

func (s *Store) createSnapshot(ctx context.Context, name, note string) (snap catalog.Snapshot, err error) {
	if err := catalog.CheckSnapshotName(name); err != nil {
		return snap, err
	}
	if err := catalog.CheckNewName(name); err != nil {
		return snap, err
	}
	if isHold(name) {
		return snap, fmt.Errorf("%w %q: what backups keep while they run begins with %q", catalog.ErrBadName, name, holdPrefix)
	}
	return s.takeSnapshot(ctx, catalog.Snapshot{Name: name, ID: catalog.NewID(), Note: note}, nil)
}

// takeSnapshot makes a snapshot. also, unless it is nil, changes the catalog in the same transaction.
func (s *Store) takeSnapshot(ctx context.Context, wanted catalog.Snapshot, also func(*catalog.Tx) error) (snap catalog.Snapshot, err error) {
	if err := s.makeFolders(s.path(snapshotDir)); err != nil {
		return snap, err
	}
	for began := time.Now(); ; {
		var busy *uncleanError
		snap, err = s.copyCatalog(ctx, wanted, also)
		if !errors.As(err, &busy) {
			return snap, err
		}
		if time.Since(began) > s.opts.patience() {
			return snap, fmt.Errorf("%w: %w", ErrLockTimeout, err)
		}
		if err := s.settleAll(ctx, busy.storages); err != nil {
			return snap, err
		}
	}
}

// uncleanError says that elements are being changed in place, or are not on the
// disk for certain.
type uncleanError struct{ storages []catalog.Storage }

func (e *uncleanError) Error() string {
	return fmt.Sprintf("%d storages are being changed", len(e.storages))
}

// settleAll completes small changes, and syncs what was left to the system to
// write. A storage that is written in place by other means is an error.
func (s *Store) settleAll(ctx context.Context, unclean []catalog.Storage) error {
	for _, st := range unclean {
		names, err := s.sharersOf(ctx, st.ID)
		if err != nil {
			return err
		}
		switch {
		case st.State == catalog.Dirty:
			err = s.dirtyError(ctx, st, names)
		case st.State == catalog.Patching:
			err = s.recoverPatch(ctx, st.ID, strings.Join(names[:min(len(names), 1)], ""))
		case isUnwritten(st):
			return unsyncedError(names)
		default:
			err = s.syncStorage(ctx, st)
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

func unsyncedError(names []string) error {
	return fmt.Errorf("%w: %s: accept it with: tstore fsck --accept-dirty, or restore it", ErrUnsynced, quoteNames(names))
}

// dirtyError says who has left the elements of tensors unfinished, so far; nil if
// that has changed meanwhile.
func (s *Store) dirtyError(ctx context.Context, st catalog.Storage, names []string) error {
	all := quoteNames(names)
	dead, err := s.deadWriters(st)
	if err != nil {
		return err
	}
	if len(dead) == 0 {
		return fmt.Errorf("%w: %s is writing %s in place: try again when it has finished", ErrBusy, tell(writers(st)), all)
	}
	if now, err := s.storageNow(ctx, st.ID); err != nil || !reflect.DeepEqual(now, st) {
		return err
	}
	return fmt.Errorf("%w: %s did not finish writing %s in place: accept it with: tstore fsck --accept-dirty, or restore it", ErrDirty, tell(dead), all)
}

func quoteNames(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}

// copyCatalog makes the file of a snapshot and names it, in one transaction: the
// state that is copied is the one before it.
func (s *Store) copyCatalog(ctx context.Context, snap catalog.Snapshot, also func(*catalog.Tx) error) (catalog.Snapshot, error) {
	final := s.path(snap.File())
	err := s.commit(ctx, func(c *catalog.Tx) error {
		if err := s.mayBeNamed(c, snap.Name); err != nil {
			return err
		}
		var err error
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
	switch {
	case errors.Is(err, ErrInDoubt):
		s.poison(err)
	case err != nil:
		// What can't be removed now is removed by gc: nothing names it.
		_, _ = s.fs.Remove(final+snapshotTemp), s.fs.Remove(final)
	}
	return snap, err
}

// mayBeNamed is an error when a snapshot has the name, or none can be made now.
func (s *Store) mayBeNamed(c *catalog.Tx, name string) error {
	if _, err := c.Snapshot(name); !errors.Is(err, ErrNotFound) {
		if err == nil {
			err = ErrExists
		}
		return err
	}
	var unclean []catalog.Storage
	for st, err := range c.Storages() {
		if err != nil {
			return err
		}
		unsynced := st.State == catalog.Clean && st.Boot != "" && s.level != DurabilityNone
		if unsynced || st.State == catalog.Dirty || st.State == catalog.Patching {
			unclean = append(unclean, st)
		}
	}
	if unclean != nil {
		return &uncleanError{unclean}
	}
	return nil
}

// writeSnapshot copies the catalog durably.
func (s *Store) writeSnapshot(c *catalog.Tx, final string) (bytes int64, sum uint32, err error) {
	f, err := s.fs.OpenFile(final+snapshotTemp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, 0, err
	}
	bytes, sum, err = c.Copy(f)
	if err != nil {
		return 0, 0, errors.Join(err, f.Close())
	}
	if err := s.syncFile(f); err != nil {
		return 0, 0, errors.Join(s.poison(fmt.Errorf("sync %s: %w", final, err)), f.Close())
	}
	if err := errors.Join(f.Close(), s.fs.Rename(final+snapshotTemp, final)); err != nil {
		return 0, 0, err
	}
	if err := s.syncDir(path.Dir(final)); err != nil {
		return 0, 0, s.poison(fmt.Errorf("sync folder %s: %w", path.Dir(final), err))
	}
	return bytes, sum, nil
}

// Snapshots returns all snapshots, the oldest first, without those that backups
// hold while they run.
func (s *Store) Snapshots(ctx context.Context) ([]catalog.Snapshot, error) {
	all, err := s.allSnapshots(ctx)
	return slices.DeleteFunc(all, func(snap catalog.Snapshot) bool { return isHold(snap.Name) }), err
}

func (s *Store) allSnapshots(ctx context.Context) (all []catalog.Snapshot, err error) {
	if err := s.checkOpen(); err != nil {
		return nil, err
	}
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		all, err = c.Snapshots()
		return err
	})
	return all, err
}

// SnapshotInfo describes a snapshot.
type SnapshotInfo struct {
	catalog.Snapshot
	// Summary counts what the snapshot holds.
	Summary Summary
	// OnlyFiles are the storage files that nothing else needs, and OnlyBytes the
	// disk space they take: removing the snapshot frees it.
	OnlyFiles int
	OnlyBytes int64
}

// StatSnapshot describes a snapshot. It reads all of it, and compares it with
// the store and with the other snapshots.
func (s *Store) StatSnapshot(ctx context.Context, name string) (*SnapshotInfo, error) {
	snap, err := s.snapshotNamed(ctx, name)
	if err != nil {
		return nil, err
	}
	info := &SnapshotInfo{Snapshot: snap}
	err = s.withImage(snap, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) error {
			info.Summary, err = summaryOf(c)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	only, err := s.onlyIn(ctx, snap)
	info.OnlyFiles, info.OnlyBytes = len(only), s.diskBytes(only)
	return info, err
}

// diskBytes is the disk space that files take.
func (s *Store) diskBytes(files []string) (total int64) {
	for _, file := range files {
		if fi, err := s.fs.Stat(s.path(file)); err == nil {
			total += allocated(fs.FileInfoToDirEntry(fi))
		}
	}
	return total
}

// RemoveSnapshot removes a snapshot, with the files that nothing else needs, and
// returns the disk space that these took. Files that another, damaged snapshot
// may need stay, for gc.
func (s *Store) RemoveSnapshot(ctx context.Context, name string) (freed int64, err error) {
	end, err := s.beginChange()
	if err != nil {
		return 0, err
	}
	defer end()
	if snap, err := s.snapshotNamed(ctx, name); err == nil && isHold(name) {
		if err := s.mustBeDead(snap); err != nil {
			return 0, err
		}
	}
	return s.removeSnapshot(ctx, name)
}

// removeSnapshot removes a snapshot. Where others go on making snapshots, the files that it
// alone needed are left to gc.
func (s *Store) removeSnapshot(ctx context.Context, name string) (freed int64, err error) {
	for try := 1; ; try++ {
		freed, err = s.tryRemoveSnapshot(ctx, name, try == attempts)
		if !errors.Is(err, ErrConflict) || try == attempts {
			return freed, err
		}
	}
}

// tryRemoveSnapshot returns ErrConflict if a snapshot was made meanwhile, which may need the same files, unless files
// are to be left.
func (s *Store) tryRemoveSnapshot(ctx context.Context, name string, leave bool) (freed int64, err error) {
	before, err := s.allSnapshots(ctx)
	if err != nil {
		return 0, err
	}
	snap, err := s.snapshotNamed(ctx, name)
	if err != nil {
		return 0, err
	}
	var only []string
	if !leave {
		only, err = s.onlyIn(ctx, snap)
	}
	if errors.Is(err, ErrCorrupt) {
		only, err = nil, nil // gc finds them when all that is left can be read
	}
	if err != nil {
		return 0, err
	}
	freed = s.diskBytes(only)
	err = s.withReserve(func() error {
		return s.commit(ctx, func(c *catalog.Tx) error { return s.dropSnapshot(c, snap, only, before) })
	})
	if errors.Is(err, ErrInDoubt) {
		s.poison(err)
	}
	if err != nil {
		return 0, err
	}
	return freed, s.images.forget(snap.ID)
}

// dropSnapshot removes a snapshot and the files that only it needed when there
// were the snapshots before. It returns ErrConflict if one was made since, which may
// need them, or this one is gone.
func (s *Store) dropSnapshot(c *catalog.Tx, snap catalog.Snapshot, only []string, before []catalog.Snapshot) error {
	now, err := c.Snapshots()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(now, func(other catalog.Snapshot) bool { return other.ID == snap.ID }) {
		return fmt.Errorf("%w: snapshot %q was removed meanwhile: try again", ErrConflict, snap.Name)
	}
	if len(only) > 0 && lastOf(now) > lastOf(before) {
		return fmt.Errorf("%w: a snapshot was made meanwhile: try again", ErrConflict)
	}
	if err := c.DropSnapshot(snap.Name); err != nil {
		return err
	}
	for _, file := range only {
		named, err := namedBy(c, file)
		if err != nil {
			return err
		}
		if !named {
			if err := c.Queue(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// lastOf is the number of the snapshot that was made last.
func lastOf(snaps []catalog.Snapshot) (last uint64) {
	for _, snap := range snaps {
		last = max(last, snap.Seq)
	}
	return last
}

// parseSnapshotFile reads the name of a snapshot's file, or of one that is made.
func parseSnapshotFile(name string) (id catalog.ID, ok bool) {
	base, found := strings.CutSuffix(strings.TrimSuffix(name, snapshotTemp), ".db")
	if !found {
		return id, false
	}
	id, err := catalog.ParseID(base)
	return id, err == nil && path.Base(catalog.Snapshot{ID: id}.File()) == strings.TrimSuffix(name, snapshotTemp)
}
