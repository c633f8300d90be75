package tstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
)

// CreateSnapshot keeps the state that the store has now under a name: all names with what they
// stand for, and their elements. Selectors read it, as in "x@monday[0:10]"; Store.RestoreSnapshot
// brings it back. No element is copied: a snapshot takes the time and the space of a copy of the
// catalog, or none where the file system shares blocks. Later, the first change of elements that it
// has copies their storage, and what is deleted keeps its disk space.
//
// It returns ErrExists if there is a snapshot of that name. If elements are being written in place
// it returns ErrBusy, and if a dead writer left them unfinished ErrDirty, with the names of the
// tensors. What was written with a durability of less than DurabilityPower is synced first, unless
// the store's is DurabilityNone. Adopted files are not kept: they are read as long as they stay
// unchanged. Snapshots shows the note, which may be empty.
func (s *Store) CreateSnapshot(ctx context.Context, name, note string) (catalog.Snapshot, error) {
	end, err := s.eng.BeginChange()
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
	if engine.IsHold(name) {
		return snap, fmt.Errorf("%w %q: what backups keep while they run begins with %q", catalog.ErrBadName, name, engine.HoldPrefix)
	}
	return s.eng.TakeSnapshot(ctx, catalog.Snapshot{Name: name, ID: catalog.NewID(), Note: note}, nil)
}

// Snapshots returns all snapshots, the oldest first, without those that backups hold while they
// run.
func (s *Store) Snapshots(ctx context.Context) ([]catalog.Snapshot, error) {
	all, err := s.eng.AllSnapshots(ctx)
	return slices.DeleteFunc(all, func(snap catalog.Snapshot) bool { return engine.IsHold(snap.Name) }), err
}

// SnapshotInfo describes a snapshot.
type SnapshotInfo struct {
	catalog.Snapshot
	// Summary counts what the snapshot holds.
	Summary Summary
	// OnlyFiles are the storage files that nothing else needs, and OnlyBytes the disk space they
	// take: removing the snapshot frees it.
	OnlyFiles int
	OnlyBytes int64
}

// StatSnapshot describes a snapshot. It reads all of it, and compares it with the store and with
// the other snapshots.
func (s *Store) StatSnapshot(ctx context.Context, name string) (*SnapshotInfo, error) {
	snap, err := s.eng.SnapshotNamed(ctx, name)
	if err != nil {
		return nil, err
	}

	info := &SnapshotInfo{Snapshot: snap}
	err = s.eng.WithImage(snap, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) error {
			info.Summary, err = summaryOf(c)
			return err
		})
	})
	if err != nil {
		return nil, err
	}

	only, err := s.eng.OnlyIn(ctx, snap)
	info.OnlyFiles, info.OnlyBytes = len(only), s.eng.DiskBytes(only)
	return info, err
}

// RemoveSnapshot removes a snapshot, with the files that nothing else needs, and returns the disk
// space that these took. Files that another, damaged snapshot may need stay, for gc.
func (s *Store) RemoveSnapshot(ctx context.Context, name string) (freed int64, err error) {
	end, err := s.eng.BeginChange()
	if err != nil {
		return 0, err
	}
	defer end()
	if snap, err := s.eng.SnapshotNamed(ctx, name); err == nil && engine.IsHold(name) {
		if err := s.eng.MustBeDead(snap); err != nil {
			return 0, err
		}
	}
	return s.eng.RemoveSnapshot(ctx, name)
}
