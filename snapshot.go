package tstore

import (
	"context"
	"iter"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/snapshots"
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
	return s.snapshots().CreateSnapshot(ctx, name, note)
}

// Snapshots returns all snapshots, the oldest first, without those that backups hold while they
// run.
func (s *Store) Snapshots(ctx context.Context) ([]catalog.Snapshot, error) {
	return s.snapshots().Snapshots(ctx)
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

func snapshotInfoOf(i *snapshots.SnapshotInfo) *SnapshotInfo {
	if i == nil {
		return nil
	}
	return &SnapshotInfo{Snapshot: i.Snapshot, Summary: Summary(i.Summary), OnlyFiles: i.OnlyFiles, OnlyBytes: i.OnlyBytes}
}

// StatSnapshot describes a snapshot. It reads all of it, and compares it with the store and with
// the other snapshots.
func (s *Store) StatSnapshot(ctx context.Context, name string) (*SnapshotInfo, error) {
	r, err := s.snapshots().StatSnapshot(ctx, name)
	return snapshotInfoOf(r), err
}

// RemoveSnapshot removes a snapshot, with the files that nothing else needs, and returns the disk
// space that these took. Files that another, damaged snapshot may need stay, for gc. A lazy name
// whose expression reads the snapshot stays; reading it returns ErrNotFound.
func (s *Store) RemoveSnapshot(ctx context.Context, name string) (freed int64, err error) {
	return s.snapshots().RemoveSnapshot(ctx, name)
}

// SnapshotChange is a name that stands for something else in one state than in another.
type SnapshotChange struct {
	Name string
	// A and B are what it stands for; nil where it is not there.
	A, B *catalog.Entry
	// What of it differs, of a name that is in both: "kind", "dtype", "shape", "elements", "seal",
	// "value" (of a blob), "formula", "dims", "attributes".
	What []string
}

// DiffSnapshots compares two snapshots, or one with the store as it is when b is empty, and yields
// the names that differ, in their order. No element is read: elements count as different when they
// were written in between. An error ends it.
func (s *Store) DiffSnapshots(ctx context.Context, a, b string) iter.Seq2[SnapshotChange, error] {
	return func(yield func(SnapshotChange, error) bool) {
		for change, err := range s.snapshots().DiffSnapshots(ctx, a, b) {
			if !yield(SnapshotChange(change), err) {
				return
			}
		}
	}
}

// Restored says what RestoreSnapshot has done.
type Restored struct {
	// Changed counts the names that now stand for something else, or were not there. Deleted counts
	// those that the snapshot does not have.
	Changed, Deleted int
	// Copied are the bytes of elements that were copied; see RestoreSnapshot.
	Copied int64
}

// RestoreSnapshot brings back what a snapshot has, in one transaction: the tensors, blobs and
// groups of those names, or without names everything, so that names made since are deleted. The
// snapshot stays, and so do later ones. Views that share a storage with what is restored by name,
// but are not restored themselves, keep their elements: then, and only then, elements are copied. A
// copy of a sealed storage is sealed again; damaged elements return ErrChecksum.
//
// It returns ErrBusy if someone is writing a tensor in place. One that a dead writer left dirty is
// clean again when it is restored.
func (s *Store) RestoreSnapshot(ctx context.Context, name string, names ...string) (Restored, error) {
	r, err := s.snapshots().RestoreSnapshot(ctx, name, names...)
	return Restored(r), err
}

// RestorePlan says what RestoreSnapshot would do.
type RestorePlan struct {
	// Created are the names that are not there yet, Changed those that stand for something else,
	// Deleted those that the snapshot does not have.
	Created, Changed, Deleted []string
	// Copied are the bytes of elements that would be copied.
	Copied int64
}

// PlanRestore returns what RestoreSnapshot would do now, and does nothing. Its errors are those of
// RestoreSnapshot. The store may be read-only.
func (s *Store) PlanRestore(ctx context.Context, name string, names ...string) (RestorePlan, error) {
	r, err := s.snapshots().PlanRestore(ctx, name, names...)
	return RestorePlan(r), err
}

// IsHeld reports whether a snapshot needs the file of a storage, which then stays when nothing else
// uses it.
func (s *Store) IsHeld(ctx context.Context, st catalog.Storage) (held bool, err error) {
	return s.store.IsHeld(ctx, st)
}
