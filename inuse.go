package tstore

import (
	"context"
	"errors"
	"path"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// isUnused reports whether file is one of the store's, by its name, and nothing
// needs it: no storage of the catalog, and no snapshot. A snapshot that can't be
// read may need any file.
func (s *Store) isUnused(c *catalog.Tx, file string) (bool, error) {
	if id, ok := parseSnapshotFile(path.Base(file)); ok && path.Dir(file) == snapshotDir {
		return s.isUnusedSnapshot(c, id, file)
	}
	if f, ok := parseStoreFile(path.Base(file)); !ok || file != f.path() {
		return false, nil
	}
	named, err := namedBy(c, file)
	if !named && err == nil {
		named, err = isJobFile(c, file)
	}
	if named || err != nil {
		return false, err
	}
	all, held, err := s.snapshotsInUse(c)
	if errors.Is(err, ErrCorrupt) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, snap := range append(all, held...) {
		err := s.withImage(snap, func(m *catalog.Image) error {
			return m.View(context.Background(), func(c *catalog.Tx) error {
				named, err = namedBy(c, file)
				return err
			})
		})
		if named || err != nil {
			return false, nil
		}
	}
	return true, nil
}

// isUnusedSnapshot reports whether no snapshot has a file in the folder of
// snapshots. One that is being made is done, or its maker is dead, once a
// transaction sees it.
func (s *Store) isUnusedSnapshot(c *catalog.Tx, id catalog.ID, file string) (bool, error) {
	all, held, err := s.snapshotsInUse(c)
	if errors.Is(err, ErrCorrupt) {
		return false, nil
	}
	named := slices.ContainsFunc(append(all, held...), func(s catalog.Snapshot) bool { return s.ID == id && s.File() == file })
	return err == nil && !named, err
}

// namedBy reports whether a storage of the catalog, or of a snapshot, has a file.
func namedBy(c *catalog.Tx, file string) (bool, error) {
	f, ok := parseStoreFile(path.Base(file))
	if !ok {
		return false, nil
	}
	st, err := c.Storage(f.id)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && slices.Contains(st.OwnFiles(), file), err
}

// onlyIn are the files of storages that only one snapshot needs.
func (s *Store) onlyIn(ctx context.Context, snap catalog.Snapshot) ([]string, error) {
	var files []string
	err := s.withImage(snap, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) error {
			for st, err := range c.Storages() {
				if err != nil {
					return err
				}
				files = append(files, st.OwnFiles()...)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	drop := func(c *catalog.Tx) (err error) {
		files, err = unnamedBy(c, files)
		return err
	}
	var all, held []catalog.Snapshot
	err = s.cat.View(ctx, func(c *catalog.Tx) (err error) {
		if all, held, err = s.snapshotsInUse(c); err != nil {
			return err
		}
		return drop(c)
	})
	if slices.ContainsFunc(held, func(other catalog.Snapshot) bool { return other.ID == snap.ID }) {
		return nil, err
	}
	for _, other := range append(all, held...) {
		if other.ID == snap.ID || err != nil {
			continue
		}
		err = s.withImage(other, func(m *catalog.Image) error {
			return errors.Join(m.Verify(ctx), m.View(ctx, drop))
		})
	}
	return files, err
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
