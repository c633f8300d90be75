package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// OnlyIn returns the files of storages that only snap needs. It reads other snapshots only if snap
// has files that the catalog lacks.
func (s *Store) OnlyIn(ctx context.Context, snap catalog.Snapshot) ([]string, error) {
	files, err := s.heldFiles(ctx, snap)
	if err != nil || len(files) == 0 {
		return nil, err
	}

	var all, held []catalog.Snapshot
	err = s.Catalog.View(ctx, func(c *catalog.Tx) (err error) {
		all, held, err = s.snapshotsInUse(c)
		return err
	})

	// A running backup copies this snapshot: all its files are needed.
	if slices.ContainsFunc(held, func(other catalog.Snapshot) bool { return other.ID == snap.ID }) {
		return nil, err
	}

	// Every other snapshot takes the files it names off the list. One that can't be read is an
	// error, since it may name any of them.
	for _, other := range append(all, held...) {
		if other.ID == snap.ID || err != nil || len(files) == 0 {
			continue
		}
		err = s.withImageOnce(other, func(m *catalog.Image) error {
			return errors.Join(m.Verify(ctx), m.View(ctx, func(c *catalog.Tx) (err error) {
				files, err = unnamedBy(c, files)
				return err
			}))
		})
	}
	return files, err
}

// heldFiles returns the files of storages that a snapshot has and the catalog lacks.
func (s *Store) heldFiles(ctx context.Context, snap catalog.Snapshot) (files []string, err error) {
	var after catalog.ID

	for {
		// The snapshot and the catalog are read in turn, a page at a time: a list of all storages
		// may not fit in memory.
		var page []catalog.Storage
		err := s.WithImage(snap, func(m *catalog.Image) error {
			return m.View(ctx, func(c *catalog.Tx) (err error) {
				page, err = c.StoragesAfter(after, ListPage)
				return err
			})
		})
		if err != nil || len(page) == 0 {
			return files, err
		}

		err = s.Catalog.View(ctx, func(c *catalog.Tx) error {
			for _, st := range page {
				left, err := unnamedBy(c, st.OwnFiles())
				if err != nil {
					return err
				}
				files = append(files, left...)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}

		after = page[len(page)-1].ID
	}
}

// unnamedBy returns the files that no storage of the catalog has.
func unnamedBy(c *catalog.Tx, files []string) ([]string, error) {
	var left []string
	for _, file := range files {
		named, err := namedBy(c, file)
		if err != nil {
			return nil, err
		}
		if !named {
			left = append(left, file)
		}
	}
	return left, nil
}
