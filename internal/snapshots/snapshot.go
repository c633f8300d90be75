package snapshots

import (
	"context"
	"fmt"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
)

// CreateSnapshot keeps the state that the store has now under a name: all names with what they
// stand for, and their elements.
func (s *Store) CreateSnapshot(ctx context.Context, name, note string) (catalog.Snapshot, error) {
	end, err := s.Engine.BeginChange()
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
	return s.Engine.TakeSnapshot(ctx, catalog.Snapshot{Name: name, ID: catalog.NewID(), Note: note}, nil)
}

// Snapshots returns all snapshots, the oldest first, without those that backups hold while they
// run.
func (s *Store) Snapshots(ctx context.Context) ([]catalog.Snapshot, error) {
	all, err := s.Engine.AllSnapshots(ctx)
	return slices.DeleteFunc(all, func(snap catalog.Snapshot) bool { return engine.IsHold(snap.Name) }), err
}

// SnapshotInfo describes a snapshot.
type SnapshotInfo struct {
	catalog.Snapshot
	Summary   store.Summary
	OnlyFiles int
	OnlyBytes int64
}

// StatSnapshot describes a snapshot.
func (s *Store) StatSnapshot(ctx context.Context, name string) (*SnapshotInfo, error) {
	snap, err := s.Engine.SnapshotNamed(ctx, name)
	if err != nil {
		return nil, err
	}

	info := &SnapshotInfo{Snapshot: snap}
	err = s.Engine.WithImage(snap, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) error {
			info.Summary, err = store.SummaryOf(c)
			return err
		})
	})
	if err != nil {
		return nil, err
	}

	only, err := s.Engine.OnlyIn(ctx, snap)
	info.OnlyFiles, info.OnlyBytes = len(only), s.Engine.DiskBytes(only)
	return info, err
}

// RemoveSnapshot removes a snapshot, with the files that nothing else needs, and returns the disk
// space that these took.
func (s *Store) RemoveSnapshot(ctx context.Context, name string) (freed int64, err error) {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return 0, err
	}
	defer end()
	if snap, err := s.Engine.SnapshotNamed(ctx, name); err == nil && engine.IsHold(name) {
		if err := s.Engine.MustBeDead(snap); err != nil {
			return 0, err
		}
	}
	return s.Engine.RemoveSnapshot(ctx, name)
}
