package engine

import (
	"context"
	"errors"
	"fmt"
	"path"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storefile"
)

// Commit applies change to the catalog in one transaction, and afterwards removes the files that
// nothing names any more. The commit is the only moment at which anything becomes visible.
func (s *Store) Commit(ctx context.Context, change func(*catalog.Tx) error) error {
	if s.within != nil {
		return ErrWithin
	}

	var trash *trash
	// The order matters. The folder may have been given another catalog, which change must not
	// touch. The trash is swept last, when change has dropped its references.
	err := s.Catalog.Update(ctx, func(tx *catalog.Tx) error {
		if err := s.MustBeMine(tx); err != nil {
			return err
		}
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

	// Unlink only after the commit: a crash in between leaves garbage, never a record without its
	// file.
	for _, file := range trash.removable(ctx) {
		// What can't be removed stays on the list, for gc.
		_ = s.removeStorageFile(file)
	}
	return nil
}

// MustBeMine returns ErrCorrupt if the folder has the catalog of another store than the one that
// was opened: its files have other names.
func (s *Store) MustBeMine(tx *catalog.Tx) error {
	if now := tx.Meta().Store; now != s.ID() {
		return fmt.Errorf("%w: store %v was opened, its folder now has the catalog of store %v: open it again", catalog.ErrCorrupt, s.ID(), now)
	}
	return nil
}

// removeStorageFile removes a file that the catalog names no more, a storage's or a snapshot's, and
// the mapping that would keep its disk space.
func (s *Store) removeStorageFile(file string) error {
	f, _ := storefile.ParseName(path.Base(file))
	snap, _ := storefile.ParseSnapshot(path.Base(file))
	return errors.Join(s.maps.Forget(f.ID), s.Images.Forget(snap), s.FS.Remove(s.Path(file)))
}
