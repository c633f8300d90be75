package tstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
)

// holdPrefix begins the names of the snapshots that backups copy.
const holdPrefix = ".backup-"

func isHold(name string) bool { return strings.HasPrefix(name, holdPrefix) }

func holdName(id catalog.ID) string { return holdPrefix + id.String()[:16] }

func (s *engineStore) dropHold(ctx context.Context, snap catalog.Snapshot) error {
	if _, err := s.removeSnapshot(ctx, snap.Name); !errors.Is(err, catalog.ErrNotFound) {
		return err
	}
	return nil
}

// deadHolds are those whose backup has died.
func (s *engineStore) deadHolds(ctx context.Context) ([]catalog.Snapshot, error) {
	all, err := s.allSnapshots(ctx)
	var dead []catalog.Snapshot
	for _, snap := range all {
		if !isHold(snap.Name) {
			continue
		}
		busy, err := s.storageBusy(snap.ID)
		if err != nil {
			return nil, err
		}
		if !busy {
			dead = append(dead, snap)
		}
	}
	return dead, err
}

// mustBeDead is ErrBusy while a backup needs what it holds.
func (s *engineStore) mustBeDead(snap catalog.Snapshot) error {
	busy, err := s.storageBusy(snap.ID)
	if err == nil && busy {
		err = fmt.Errorf("%w: a backup at work needs the snapshot %q, and removes it in the end", errBusy, snap.Name)
	}
	return err
}

// dropDeadHolds returns those that it has removed.
func (s *engineStore) dropDeadHolds(ctx context.Context) ([]catalog.Snapshot, error) {
	dead, err := s.deadHolds(ctx)
	for i, snap := range dead {
		if err := s.dropHold(ctx, snap); err != nil {
			return dead[:i], err
		}
	}
	return dead, err
}

// snapshotsInUse are the snapshots of the catalog, and beside them those that have
// been removed since a backup began that copies them.
func (s *engineStore) snapshotsInUse(c *catalog.Tx) (all, held []catalog.Snapshot, err error) {
	if all, err = c.Snapshots(); err != nil {
		return nil, nil, err
	}
	for _, snap := range all {
		if !isHold(snap.Name) {
			continue
		}
		err := s.withImage(snap, func(m *catalog.Image) error {
			return m.View(context.Background(), func(c *catalog.Tx) error {
				then, err := c.Snapshots()
				held = append(held, slices.DeleteFunc(then, func(snap catalog.Snapshot) bool { return isHold(snap.Name) })...)
				return err
			})
		})
		if err != nil {
			return all, nil, err
		}
	}
	return all, held, nil
}
