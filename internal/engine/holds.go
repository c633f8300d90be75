package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
)

// HoldPrefix begins the names of the snapshots that backups copy.
const HoldPrefix = ".backup-"

// IsHold reports whether a snapshot of that name is what a backup keeps while it runs.
func IsHold(name string) bool { return strings.HasPrefix(name, HoldPrefix) }

// HoldName returns the name of the snapshot with that id, which a backup makes.
func HoldName(id catalog.ID) string { return HoldPrefix + id.String()[:16] }

// DropHold removes what a backup has held, unless it is gone.
func (s *Store) DropHold(ctx context.Context, snap catalog.Snapshot) error {
	if _, err := s.RemoveSnapshot(ctx, snap.Name); !errors.Is(err, catalog.ErrNotFound) {
		return err
	}
	return nil
}

// deadHolds returns the holds of backups that have died.
func (s *Store) deadHolds(ctx context.Context) ([]catalog.Snapshot, error) {
	all, err := s.AllSnapshots(ctx)
	var dead []catalog.Snapshot
	for _, snap := range all {
		if !IsHold(snap.Name) {
			continue
		}
		busy, err := s.StorageBusy(snap.ID)
		if err != nil {
			return nil, err
		}
		if !busy {
			dead = append(dead, snap)
		}
	}
	return dead, err
}

// MustBeDead returns ErrBusy while a backup needs what it holds.
func (s *Store) MustBeDead(snap catalog.Snapshot) error {
	busy, err := s.StorageBusy(snap.ID)
	if err == nil && busy {
		err = fmt.Errorf("%w: a backup at work needs the snapshot %q, and removes it in the end", ErrBusy, snap.Name)
	}
	return err
}

// DropDeadHolds removes the holds of dead backups, and returns them.
func (s *Store) DropDeadHolds(ctx context.Context) ([]catalog.Snapshot, error) {
	dead, err := s.deadHolds(ctx)
	for i, snap := range dead {
		if err := s.DropHold(ctx, snap); err != nil {
			return dead[:i], err
		}
	}
	return dead, err
}

// snapshotsInUse returns the snapshots of the catalog, and beside them those that were removed
// after a running backup that copies them began.
func (s *Store) snapshotsInUse(c *catalog.Tx) (all, held []catalog.Snapshot, err error) {
	if all, err = c.Snapshots(); err != nil {
		return nil, nil, err
	}

	// A backup holds the state of the catalog at its start as a snapshot of its own. That state
	// lists the snapshots there were then.
	for _, snap := range all {
		if !IsHold(snap.Name) {
			continue
		}
		err := s.WithImage(snap, func(m *catalog.Image) error {
			return m.View(context.Background(), func(c *catalog.Tx) error {
				then, err := c.Snapshots()
				held = append(held, slices.DeleteFunc(then, func(snap catalog.Snapshot) bool { return IsHold(snap.Name) })...)
				return err
			})
		})
		if err != nil {
			return all, nil, err
		}
	}
	return all, held, nil
}
