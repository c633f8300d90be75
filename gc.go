package tstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
)

// Garbage is a file in the store's folder that nothing names.
type Garbage struct {
	// File is the path relative to the store.
	File string
	// Bytes is the space it takes on disk.
	Bytes int64
}

// GCOptions of GC. Nil means the defaults.
type GCOptions struct {
	// DryRun removes nothing.
	DryRun bool
}

// GC removes the files of storages and of interrupted writers that nothing
// names, and what backups that died have held, and returns them. Files whose names are not the store's own are left
// alone. Writers that are at work are not disturbed. It reads the whole
// catalog first: with a damaged one it is ErrCorrupt and removes nothing, since
// a file that seems to have no name may only have lost it.
func (s *Store) GC(ctx context.Context, o *GCOptions) ([]Garbage, error) {
	dry := o != nil && o.DryRun
	begin := s.beginChange
	if dry {
		begin = s.beginWork
	}
	end, err := begin()
	if err != nil {
		return nil, err
	}
	defer end()
	mode := filelock.Exclusive
	if s.opts.ReadOnly {
		mode = filelock.Shared
	}
	lock, err := s.lockGC(ctx, mode)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	if dry {
		return s.garbage(ctx)
	}
	removed, err := s.clearHolds(ctx)
	if err != nil {
		return removed, err
	}
	found, err := s.garbage(ctx)
	if err != nil {
		return removed, err
	}
	for _, g := range found {
		gone, err := s.remove(g)
		if err != nil {
			return removed, fmt.Errorf("remove %s: %w", g.File, err)
		}
		if gone {
			removed = append(removed, g)
		}
	}
	return removed, s.withReserve(func() error {
		return s.commit(ctx, func(*catalog.Tx) error { return nil })
	})
}

// remove removes a file, unless a writer has begun it anew meanwhile.
func (s *Store) remove(g Garbage) (gone bool, err error) {
	if path.Dir(g.File) == tmpDir {
		id, _ := tmpOwner(path.Base(g.File))
		lock, err := filelock.TryLock(s.lockPath(), storageKey(id), filelock.Exclusive)
		if errors.Is(err, filelock.ErrHeld) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		defer lock.Unlock()
	}
	err = s.removeStorageFile(g.File)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// clearHolds removes what dead backups have held, which may be damaged: nobody needs it. It
// is ErrCorrupt when the catalog or another snapshot is damaged, or the catalog
// another store's.
func (s *Store) clearHolds(ctx context.Context) (removed []Garbage, err error) {
	found, err := s.checkCatalog(ctx)
	if err := errors.Join(err, s.cat.View(ctx, s.mustBeMine), mustBeWhole(found)); err != nil {
		return nil, err
	}
	dropped, err := s.dropDeadHolds(ctx)
	removed = garbageOf(dropped)
	if err != nil {
		return removed, err
	}
	found, err = s.checkImages(ctx)
	return removed, errors.Join(err, mustBeWhole(found))
}

// garbageOf are the files of what dead backups have held.
func garbageOf(holds []catalog.Snapshot) (all []Garbage) {
	for _, snap := range holds {
		all = append(all, Garbage{File: snap.File(), Bytes: snap.Bytes})
	}
	return all
}

// mustBeWhole is ErrCorrupt when something was found by which files may have lost their
// names.
func mustBeWhole(found []Problem) error {
	for _, p := range found {
		if p.Kind == ProblemCatalog || p.Kind == ProblemSnapshot {
			return fmt.Errorf("%w, and no file is removed before that is put right: %s (%s)", ErrCorrupt, p.Detail, p.Remedy)
		}
	}
	return nil
}

// garbage lists the folders first and reads the catalog afterwards: a file
// that is committed in between is then found to be in use.
func (s *Store) garbage(ctx context.Context) ([]Garbage, error) {
	var found []Garbage
	dirs, err := s.storageFolders()
	if err != nil {
		return nil, err
	}
	for _, dir := range append(dirs, snapshotDir) {
		g, err := s.unnamed(ctx, dir)
		if err != nil {
			return nil, err
		}
		found = append(found, g...)
	}
	tmp, err := s.abandoned(ctx)
	if err != nil {
		return nil, err
	}
	dead, err := s.deadHolds(ctx)
	mark, failed := s.leftMark()
	return slices.Concat(found, garbageOf(dead), tmp, mark), errors.Join(err, failed)
}

// storageFolders are storages/00 to storages/ff, as far as they are there.
func (s *Store) storageFolders() ([]string, error) {
	entries, err := s.fs.ReadDir(s.path(storageDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, path.Join(storageDir, e.Name()))
		}
	}
	return dirs, nil
}

// unnamed returns the files of storages, or of snapshots, in one folder that
// neither the catalog nor a snapshot needs.
func (s *Store) unnamed(ctx context.Context, dir string) ([]Garbage, error) {
	entries, err := s.fs.ReadDir(s.path(dir))
	if errors.Is(err, fs.ErrNotExist) && dir == snapshotDir {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []Garbage
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		found = nil
		for _, e := range entries {
			file := path.Join(dir, e.Name())
			unused, err := s.isUnused(c, file)
			if err != nil {
				return err
			}
			if unused {
				found = append(found, Garbage{File: file, Bytes: allocated(e)})
			}
		}
		return nil
	})
	return found, err
}

// abandoned returns the files in tmp/ whose writer is dead, and that no job has.
// The mark that Init had there can come back: a power cut may bring back the
// first name of a file that was renamed.
func (s *Store) abandoned(ctx context.Context) ([]Garbage, error) {
	entries, err := s.fs.ReadDir(s.path(tmpDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var found []Garbage
	for _, e := range entries {
		id, ok := tmpOwner(e.Name())
		if !ok {
			continue
		}
		busy, err := s.storageBusy(id)
		if err != nil {
			return nil, err
		}
		if !busy {
			found = append(found, Garbage{File: path.Join(tmpDir, e.Name()), Bytes: allocated(e)})
		}
	}
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
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
