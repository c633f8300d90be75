package engine

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// trash is what a commit leaves on the list of files to be removed.
type trash struct {
	// queued are files that the commit itself has put there. It has made sure that no snapshot
	// holds them.
	queued []string
	// left are files of earlier commits, and snaps the snapshots that may need them.
	left  *Unused
	snaps []catalog.Snapshot
}

// sweptTrash takes the files that are gone off the trash list and returns the others. A file is
// unlinked only after the commit that dropped its last reference, so a later commit takes its entry
// off. A damaged or forged list removes nothing else: entries that are no files of the store, or
// are in use, are dropped.
func (s *Store) sweptTrash(tx *catalog.Tx) (*trash, error) {
	all, err := tx.Trash()
	if err != nil || len(all) == 0 {
		return &trash{}, err
	}

	// Keep the entries whose file still exists.
	there := s.newUnused()
	for _, t := range all {
		if _, err := s.FS.Stat(s.Path(t.File)); !errors.Is(err, fs.ErrNotExist) {
			there.bytes[t.File] = 0
		}
	}

	// Of these, leave those that the catalog does not name. What snapshots need is looked up after
	// the commit, in removable, so that nobody waits for it.
	snaps, err := s.statesInUse(tx)
	if errors.Is(err, catalog.ErrCorrupt) {
		return &trash{}, nil // one that can't be read may need any file: all stay on the list
	}
	if err = errors.Join(err, there.keepUnnamed(tx, snaps)); err != nil {
		return nil, err
	}

	// This transaction has made sure that no snapshot needs the files it queued. The others are
	// still to be looked at.
	left := &trash{left: there, snaps: snaps}
	for _, t := range all {
		_, unnamed := there.bytes[t.File]
		switch {
		case !unnamed:
			err = errors.Join(err, tx.ClearTrash(t.File))
		case tx.QueuedHere(t.File):
			left.queued = append(left.queued, t.File)
			delete(there.bytes, t.File)
		}
	}
	return left, err
}

// removable returns the files that can be removed after the commit. Snapshots are read now, since
// nobody has to wait for it.
func (t *trash) removable(ctx context.Context) []string {
	if t.left == nil || t.left.keepUnheld(ctx, t.snaps) != nil {
		return t.queued
	}
	return append(t.queued, slices.Sorted(maps.Keys(t.left.bytes))...)
}
