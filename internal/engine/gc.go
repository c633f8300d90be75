package engine

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
	"github.com/tstore/tstore/internal/storefile"
)

// gcTurn is how long writers are kept off at a time.
const gcTurn = 20 * time.Millisecond

// sweep removes the files that nothing needs. All that takes long is done before writers are kept
// off: the folders are listed and all snapshots are read.
func (s *Store) sweep(ctx context.Context) (removed []Leftover, err error) {
	u, err := s.ListUnused(ctx)
	if err == nil {
		u.verify = true
		err = u.look(ctx)
	}
	for more := true; more && err == nil; {
		var gone []Leftover
		gone, more, err = s.sweepTurn(ctx, u)
		removed = append(removed, gone...)
		if more {
			time.Sleep(time.Millisecond) // else the lock would be taken again before who waits for it wakes up
		}
	}
	return removed, err
}

// sweepTurn removes files until its turn is over, and reports whether more may be left. It first
// looks at the files of u again, while no writer is between its rename and its commit.
func (s *Store) sweepTurn(ctx context.Context, u *Unused) (removed []Leftover, more bool, err error) {
	lock, err := s.LockGC(ctx, filelock.Exclusive)
	if err != nil {
		return nil, false, err
	}
	defer lock.Unlock()

	began := time.Now()
	found, err := s.leftovers(ctx, u)
	if err != nil {
		return nil, false, err
	}

	// Writers wait for the lock: the turn ends after gcTurn, but removes at least one file.
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

// leftovers returns the files of u that are still unused, and those in other places. The caller
// keeps writers off.
func (s *Store) leftovers(ctx context.Context, u *Unused) ([]Leftover, error) {
	if err := u.look(ctx); err != nil {
		return nil, err
	}
	var found []Leftover
	for _, file := range slices.Sorted(maps.Keys(u.bytes)) {
		found = append(found, Leftover{File: file, Bytes: u.bytes[file]})
	}
	tmp, err := s.abandoned(ctx)
	if err != nil {
		return nil, err
	}
	mark, err := s.leftMark()
	return slices.Concat(found, tmp, mark), err
}

// Garbage returns what GC would remove: the files of u, and leftovers in other places. If a
// snapshot can't be read it returns no data files, because the snapshot may need any of them.
func (s *Store) Garbage(ctx context.Context, u *Unused) ([]Leftover, error) {
	if err := u.look(ctx); errors.Is(err, catalog.ErrCorrupt) {
		clear(u.bytes)
	} else if err != nil {
		return nil, err
	}

	// An exclusive lock needs the right to write the lock file.
	mode := filelock.Exclusive
	if s.Options.ReadOnly {
		mode = filelock.Shared
	}
	lock, err := s.LockGC(ctx, mode)
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

// remove deletes a file, unless a writer is using its name again.
func (s *Store) remove(g Leftover) (gone bool, err error) {
	// A writer locks the id of its temporary file: while the lock is held, the file is alive.
	if path.Dir(g.File) == storefile.TmpDir {
		id, _ := storefile.TmpOwner(path.Base(g.File))
		lock, err := filelock.TryLock(s.LockPath(), StorageKey(id), filelock.Exclusive)
		if errors.Is(err, filelock.ErrHeld) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		defer lock.Unlock()
	}

	// On Windows a file that somebody reads stays, for a later gc.
	err = s.removeStorageFile(g.File)
	if errors.Is(err, fs.ErrNotExist) || fsx.InUse(err) {
		return false, nil
	}
	return err == nil, err
}

// clearHolds removes what dead backups have held. It may be damaged: nobody needs it. It returns
// ErrCorrupt if the catalog is damaged, or another store's.
func (s *Store) clearHolds(ctx context.Context) (removed []Leftover, err error) {
	found, err := s.Catalog.Check(ctx)
	if err := errors.Join(err, s.Catalog.View(ctx, s.MustBeMine), mustBeWhole(found)); err != nil {
		return nil, err
	}
	dropped, err := s.DropDeadHolds(ctx)
	return garbageOf(dropped), err
}

// garbageOf returns the files of what dead backups have held.
func garbageOf(holds []catalog.Snapshot) (all []Leftover) {
	for _, snap := range holds {
		all = append(all, Leftover{File: snap.File(), Bytes: snap.Bytes})
	}
	return all
}

// mustBeWhole returns ErrCorrupt if something was found by which files may have lost their names.
func mustBeWhole(found []catalog.Problem) error {
	for _, p := range found {
		if p.Kind != catalog.ProblemRefs {
			return notWhole(p.String(), CatalogRemedy)
		}
	}
	return nil
}

func notWhole(detail, remedy string) error {
	return fmt.Errorf("%w, and no file is removed before that is put right: %s (%s)", catalog.ErrCorrupt, detail, remedy)
}

// CatalogRemedy says what to do about a damaged catalog.
const CatalogRemedy = "restore a backup, or build a new catalog from the storage files: tstore fsck --salvage"

// ImageRemedy says what to do about a snapshot that can't be read.
func ImageRemedy(snap catalog.Snapshot) string {
	return fmt.Sprintf("restore the file from a copy, or remove the snapshot: tstore snapshot rm %q", snap.Name)
}

// Leftover is a file in the store's folder that nothing names.
type Leftover struct {
	// File is the path relative to the store.
	File string
	// Bytes is the space it takes on disk.
	Bytes int64
}

// Collect removes what nothing needs and returns it.
func (s *Store) Collect(ctx context.Context) ([]Leftover, error) {
	removed, err := s.clearHolds(ctx)
	if err != nil {
		return removed, err
	}
	swept, err := s.sweep(ctx)
	removed = append(removed, swept...)
	if err != nil {
		return removed, err
	}
	return removed, s.WithReserve(func() error {
		return s.Commit(ctx, func(*catalog.Tx) error { return nil })
	})
}

// Collectable returns what collect would remove.
func (s *Store) Collectable(ctx context.Context) ([]Leftover, error) {
	u, err := s.ListUnused(ctx)
	if err != nil {
		return nil, err
	}
	return s.Garbage(ctx, u)
}
