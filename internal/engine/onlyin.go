package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// OnlyIn are the files of storages that only one snapshot needs. Others are read only if it has
// files that the catalog lacks.
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
	if slices.ContainsFunc(held, func(other catalog.Snapshot) bool { return other.ID == snap.ID }) {
		return nil, err
	}
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

// heldFiles are the files of storages that a snapshot has and the catalog has not.
func (s *Store) heldFiles(ctx context.Context, snap catalog.Snapshot) (files []string, err error) {
	var after catalog.ID
	for {
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

// unnamedBy returns those of files that no storage has.
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
