package tstore

import (
	"context"
	"errors"
	"io/fs"

	"github.com/tstore/tstore/catalog"
)

// commit applies change to the catalog in one transaction, and afterwards
// removes the files that nothing names any more. The commit is the only
// moment at which anything becomes visible.
func (s *Store) commit(ctx context.Context, change func(*catalog.Tx) error) error {
	var trash []catalog.Trashed
	err := s.cat.Update(ctx, func(tx *catalog.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		var err error
		trash, err = s.sweptTrash(tx)
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range trash {
		// A file that can't be removed stays on the list, for gc.
		_ = s.fs.Remove(s.path(t.File))
	}
	return nil
}

// sweptTrash takes the files that are gone off the trash list and returns the
// others. A file is unlinked only after the commit that dropped its last
// reference; its entry goes with a later one.
func (s *Store) sweptTrash(tx *catalog.Tx) ([]catalog.Trashed, error) {
	all, err := tx.Trash()
	if err != nil {
		return nil, err
	}
	var left []catalog.Trashed
	for _, t := range all {
		if _, err := s.fs.Stat(s.path(t.File)); !errors.Is(err, fs.ErrNotExist) {
			left = append(left, t)
		} else if err := tx.ClearTrash(t.File); err != nil {
			return nil, err
		}
	}
	return left, nil
}
