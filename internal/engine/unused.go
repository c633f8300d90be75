package engine

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
)

// StorageFolders are storages/00 to storages/ff, as far as they are there.
func (s *Store) StorageFolders() ([]string, error) {
	entries, err := s.FS.ReadDir(s.Path(storefile.StorageDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, path.Join(storefile.StorageDir, e.Name()))
		}
	}
	return dirs, nil
}

// ListUnused lists the files in the folders of storages and of snapshots that the catalog does not
// name. The folders are read first and the catalog afterwards: a file that is committed in between
// is then found to be in use.
func (s *Store) ListUnused(ctx context.Context) (*Unused, error) {
	dirs, err := s.StorageFolders()
	if err != nil {
		return nil, err
	}
	all := s.newUnused()
	for _, dir := range append(dirs, storefile.SnapshotDir) {
		if err := s.addUnnamed(ctx, all, dir); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addUnnamed adds the files of one folder that nothing in the catalog names.

func (s *Store) addUnnamed(ctx context.Context, all *Unused, dir string) error {
	entries, err := s.FS.ReadDir(s.Path(dir))
	if errors.Is(err, fs.ErrNotExist) && dir == storefile.SnapshotDir {
		return nil
	}
	if err != nil {
		return err
	}

	// Read the folder before the catalog: a file that is published later is not in the list, and
	// one that is published in between is named.
	here := s.newUnused()
	for _, e := range entries {
		here.bytes[path.Join(dir, e.Name())] = 0
	}

	err = s.Catalog.View(ctx, func(c *catalog.Tx) (err error) {
		var snaps []catalog.Snapshot
		if dir == storefile.SnapshotDir {
			snaps, err = c.Snapshots()
		}
		return errors.Join(err, here.keepUnnamed(c, snaps))
	})

	for _, e := range entries {
		if _, left := here.bytes[path.Join(dir, e.Name())]; left {
			all.bytes[path.Join(dir, e.Name())] = allocated(e)
		}
	}
	return err
}

// abandoned returns the files in tmp/ whose writer is dead and that belong to no job. Init's mark
// can be among them: a power cut may bring back the first name of a renamed file.
func (s *Store) abandoned(ctx context.Context) ([]Leftover, error) {
	entries, err := s.FS.ReadDir(s.Path(storefile.TmpDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	// A writer holds the lock of its id as long as it lives.
	var found []Leftover
	for _, e := range entries {
		id, ok := storefile.TmpOwner(e.Name())
		if !ok {
			continue
		}
		busy, err := s.StorageBusy(id)
		if err != nil {
			return nil, err
		}
		if !busy {
			found = append(found, Leftover{File: path.Join(storefile.TmpDir, e.Name()), Bytes: allocated(e)})
		}
	}

	// A job keeps its files without a lock while no process runs it.
	err = s.Catalog.View(ctx, func(c *catalog.Tx) error {
		left := found[:0:0]
		for _, g := range found {
			wanted, err := isJobFile(c, g.File)
			if err != nil {
				return err
			}
			if !wanted {
				left = append(left, g)
			}
		}
		found = left
		return nil
	})
	return found, err
}

func allocated(e fs.DirEntry) int64 {
	fi, err := e.Info()
	if err != nil {
		return 0
	}
	if n := fsx.Allocated(fi); n >= 0 {
		return n
	}
	return fi.Size()
}
