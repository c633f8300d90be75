package tstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"

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
// alone. Writers that are at work are not disturbed, and wait some milliseconds at most. It reads the whole
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
	if dry {
		u, err := s.listUnused(ctx)
		if err != nil {
			return nil, err
		}
		return s.garbage(ctx, u)
	}
	removed, err := s.clearHolds(ctx)
	if err != nil {
		return removed, err
	}
	swept, err := s.sweep(ctx)
	removed = append(removed, swept...)
	if err != nil {
		return removed, err
	}
	return removed, s.withReserve(func() error {
		return s.commit(ctx, func(*catalog.Tx) error { return nil })
	})
}

// gcTurn is how long writers are kept off at a time.
const gcTurn = 20 * time.Millisecond

// sweep removes the files that nothing needs. All that takes long is done before writers are kept off: the folders are
// listed and all snapshots are read.
func (s *Store) sweep(ctx context.Context) (removed []Garbage, err error) {
	u, err := s.listUnused(ctx)
	if err == nil {
		u.verify = true
		err = u.look(ctx)
	}
	for more := true; more && err == nil; {
		var gone []Garbage
		gone, more, err = s.sweepTurn(ctx, u)
		removed = append(removed, gone...)
		if more {
			time.Sleep(time.Millisecond) // else the lock would be taken again before who waits for it wakes up
		}
	}
	return removed, err
}

// sweepTurn removes files until its time is over, and reports whether there may be more. The files of u are looked at once
// more first, while no writer is between its rename and its commit.
func (s *Store) sweepTurn(ctx context.Context, u *unused) (removed []Garbage, more bool, err error) {
	lock, err := s.lockGC(ctx, filelock.Exclusive)
	if err != nil {
		return nil, false, err
	}
	defer lock.Unlock()
	began := time.Now()
	found, err := s.leftovers(ctx, u)
	if err != nil {
		return nil, false, err
	}
	for _, g := range found {
		if len(removed) > 0 && time.Since(began) > gcTurn {
			return removed, true, nil
		}
		gone, err := s.remove(g)
		if err != nil {
			return removed, false, fmt.Errorf("remove %s: %w", g.File, err)
		}
		if gone {
			removed = append(removed, g)
		}
	}
	return removed, false, nil
}

// leftovers are the files of u that are still unused, and those in other places. The caller keeps writers off.
func (s *Store) leftovers(ctx context.Context, u *unused) ([]Garbage, error) {
	if err := u.look(ctx); err != nil {
		return nil, err
	}
	var found []Garbage
	for _, file := range slices.Sorted(maps.Keys(u.bytes)) {
		found = append(found, Garbage{File: file, Bytes: u.bytes[file]})
	}
	tmp, err := s.abandoned(ctx)
	if err != nil {
		return nil, err
	}
	mark, err := s.leftMark()
	return slices.Concat(found, tmp, mark), err
}

// garbage is what GC would remove: of u, and in other places. If a snapshot can't be read, that is no file which it may
// need.
func (s *Store) garbage(ctx context.Context, u *unused) ([]Garbage, error) {
	if err := u.look(ctx); errors.Is(err, ErrCorrupt) {
		clear(u.bytes)
	} else if err != nil {
		return nil, err
	}
	mode := filelock.Exclusive
	if s.opts.ReadOnly {
		mode = filelock.Shared
	}
	lock, err := s.lockGC(ctx, mode)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	found, err := s.leftovers(ctx, u)
	if err != nil {
		return nil, err
	}
	dead, err := s.deadHolds(ctx)
	return append(found, garbageOf(dead)...), err
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
// is ErrCorrupt when the catalog is damaged, or another store's.
func (s *Store) clearHolds(ctx context.Context) (removed []Garbage, err error) {
	found, err := s.checkCatalog(ctx)
	if err := errors.Join(err, s.cat.View(ctx, s.mustBeMine), mustBeWhole(found)); err != nil {
		return nil, err
	}
	dropped, err := s.dropDeadHolds(ctx)
	return garbageOf(dropped), err
}

// garbageOf are the files of what dead backups have held.
func garbageOf(holds []catalog.Snapshot) (all []Garbage) {
	for _, snap := range holds {
		all = append(all, Garbage{File: snap.File(), Bytes: snap.Bytes})
	}
	return all
}

// mustBeWhole returns ErrCorrupt if something was found by which files may have lost their
// names.
func mustBeWhole(found []Problem) error {
	for _, p := range found {
		if p.Kind == ProblemCatalog || p.Kind == ProblemSnapshot {
			return fmt.Errorf("%w, and no file is removed before that is put right: %s (%s)", ErrCorrupt, p.Detail, p.Remedy)
		}
	}
	return nil
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

// listUnused lists the files in the folders of storages and of snapshots that the catalog does not name. The folders are
// read first and the catalog afterwards: a file that is committed in between is then found to be in use.
func (s *Store) listUnused(ctx context.Context) (*unused, error) {
	dirs, err := s.storageFolders()
	if err != nil {
		return nil, err
	}
	all := s.newUnused()
	for _, dir := range append(dirs, snapshotDir) {
		if err := s.addUnnamed(ctx, all, dir); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// addUnnamed adds the files of one folder.
func (s *Store) addUnnamed(ctx context.Context, all *unused, dir string) error {
	entries, err := s.fs.ReadDir(s.path(dir))
	if errors.Is(err, fs.ErrNotExist) && dir == snapshotDir {
		return nil
	}
	if err != nil {
		return err
	}
	here := s.newUnused()
	for _, e := range entries {
		here.bytes[path.Join(dir, e.Name())] = 0
	}
	err = s.cat.View(ctx, func(c *catalog.Tx) (err error) {
		var snaps []catalog.Snapshot
		if dir == snapshotDir {
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
