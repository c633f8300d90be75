package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// DiskBytes returns the disk space that files take.
func (s *Store) DiskBytes(files []string) (total int64) {
	for _, file := range files {
		if fi, err := s.FS.Stat(s.Path(file)); err == nil {
			total += allocated(fs.FileInfoToDirEntry(fi))
		}
	}
	return total
}

// RemoveSnapshot removes a snapshot. Where others go on making snapshots, the files that it alone
// needed are left to gc.
func (s *Store) RemoveSnapshot(ctx context.Context, name string) (freed int64, err error) {
	for try := 1; ; try++ {
		freed, err = s.tryRemoveSnapshot(ctx, name, try == Attempts)
		if !errors.Is(err, ErrConflict) || try == Attempts {
			return freed, err
		}
	}
}

// tryRemoveSnapshot removes a snapshot and, unless leave is set, the files that only it needed. It
// returns ErrConflict if a snapshot made meanwhile may need the same files.
func (s *Store) tryRemoveSnapshot(ctx context.Context, name string, leave bool) (freed int64, err error) {
	// List the snapshots before looking for files: dropSnapshot compares with this list.
	before, err := s.AllSnapshots(ctx)
	if err != nil {
		return 0, err
	}
	snap, err := s.SnapshotNamed(ctx, name)
	if err != nil {
		return 0, err
	}

	var only []string
	if !leave {
		only, err = s.OnlyIn(ctx, snap)
	}
	if errors.Is(err, catalog.ErrCorrupt) {
		only, err = nil, nil // gc finds them when all that is left can be read
	}
	if err != nil {
		return 0, err
	}

	// A full disk is a reason to remove a snapshot, so the commit may take the space of the
	// reserve.
	freed = s.DiskBytes(only)
	err = s.WithReserve(func() error {
		return s.Commit(ctx, func(c *catalog.Tx) error { return s.dropSnapshot(c, snap, only, before) })
	})

	if errors.Is(err, catalog.ErrInDoubt) {
		s.Poison(err)
	}
	if err != nil {
		return 0, err
	}
	return freed, s.Images.Forget(snap.ID)
}

// dropSnapshot removes a snapshot and the files that only it needed when the list before was read.
// It returns ErrConflict if a newer snapshot may need them, or if this one is gone.
func (s *Store) dropSnapshot(c *catalog.Tx, snap catalog.Snapshot, only []string, before []catalog.Snapshot) error {
	now, err := c.Snapshots()
	if err != nil {
		return err
	}

	if !slices.ContainsFunc(now, func(other catalog.Snapshot) bool { return other.ID == snap.ID }) {
		return fmt.Errorf("%w: snapshot %q was removed meanwhile: try again", ErrConflict, snap.Name)
	}

	// The files were chosen before this transaction, without the snapshots made since.
	if len(only) > 0 && lastOf(now) > lastOf(before) {
		return fmt.Errorf("%w: a snapshot was made meanwhile: try again", ErrConflict)
	}

	if err := c.DropSnapshot(snap.Name); err != nil {
		return err
	}

	// The files go on the trash list, and are unlinked after the commit.
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

// lastOf returns the number of the snapshot that was made last.
func lastOf(snaps []catalog.Snapshot) (last uint64) {
	for _, snap := range snaps {
		last = max(last, snap.Seq)
	}
	return last
}
