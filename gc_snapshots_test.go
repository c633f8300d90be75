package tstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tstore/tstore/internal/storetest"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
)

// TestWorkGrowsWithSnapshots counts what gc and fsck allocate: four times the snapshots, each with
// a file of its own, are four times the work, and not sixteen times. fsck does no more than gc.
func TestWorkGrowsWithSnapshots(t *testing.T) {
	work := func(n int) (gc, fsck float64) {
		s := openStore(t, manySnapshots(t, n))
		junk(t, s, 100)
		gc = testing.AllocsPerRun(1, func() { must(t, second(s.GC(t.Context(), nil))) })
		fsck = testing.AllocsPerRun(1, func() { must(t, second(s.Check(t.Context()))) })
		if n := storetest.OpenSnapshots(s); n != 0 {
			t.Errorf("%d snapshots stay open", n)
		}
		return gc, fsck
	}
	gc1, fsck1 := work(40)
	gc4, fsck4 := work(160)
	if gc4 > 7*gc1 || fsck4 > 7*fsck1 {
		t.Errorf("gc allocates %.0f times with 40 snapshots and %.0f with 160, fsck %.0f and %.0f", gc1, gc4, fsck1, fsck4)
	}
	if fsck4 > gc4 { // both read each snapshot once
		t.Errorf("with 160 snapshots fsck allocates %.0f times, gc %.0f", fsck4, gc4)
	}
}

// junk puts files of storages that nobody knows into a store.
func junk(t testing.TB, s *tstore.Store, n int) (files []string) {
	for range n {
		file := filepath.Join(s.Dir(), filepath.FromSlash(catalog.Storage{ID: catalog.NewID()}.File()))
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte("junk"), 0o644))
		files = append(files, file)
	}
	return files
}

// TestGCKeepsWhatSnapshotsHold removes junk, few files and many, among the files that only
// snapshots have: some in one, some in several that do not follow each other, since a file came
// back by a restore.
func TestGCKeepsWhatSnapshotsHold(t *testing.T) {
	for _, n := range []int{1, 100} {
		s := openStore(t, manySnapshots(t, 12))
		ctx := t.Context()
		for _, from := range []string{"s00003", "s00009", "s00003"} {
			must(t, second(s.RestoreSnapshot(ctx, from, "x")))
			must(t, second(s.CreateSnapshot(ctx, "back"+from+fmt.Sprint(len(snapshots(t, s))), "")))
			must(t, s.Replace(ctx, "x", source(t, 100, 4)))
		}
		must(t, second(s.RemoveSnapshot(ctx, "s00003")))
		junk(t, s, n)
		found, err := s.GC(ctx, nil)
		must(t, err)
		if len(found) != n {
			t.Errorf("gc removed %d files, expected %d", len(found), n)
		}
		for i := range 12 {
			if i != 3 {
				wantValues(t, s, fmt.Sprintf("x@s%05d[0]", i), float64(i))
			}
		}
		for _, snap := range snapshots(t, s) {
			if len(snap) > 6 {
				must(t, second(s.Get(ctx, "x@"+snap)))
			}
		}
		wantSound(t, s.Dir())
	}
}

func snapshots(t testing.TB, s *tstore.Store) (names []string) {
	all, err := s.Snapshots(t.Context())
	must(t, err)
	for _, snap := range all {
		names = append(names, snap.Name)
	}
	return names
}

// TestGCLooksAgain lets a file that gc has found unused come into use before it gets its lock: in
// the catalog, or in a snapshot made since. A machine that is slow to start gc makes the test
// weaker, not wrong.
func TestGCLooksAgain(t *testing.T) {
	for _, kept := range []bool{false, true} {
		s := newStore(t)
		ctx := t.Context()
		create(t, s, "x", source(t, 0, 300_000))
		file := filepath.Join(s.Dir(), filepath.FromSlash(stat(t, s, "x").Storage.File()))
		setGen := func(gen uint32) {
			must(t, storetest.EditStorage(ctx, s, "x", func(st *catalog.Storage) { st.Gen = gen }))
		}
		setGen(7) // the catalog does not name the file any more

		// Writers have this lock between their rename and their commit.
		lock, err := filelock.TryLock(filepath.Join(s.Dir(), "lock"), 2, filelock.Shared)
		must(t, err)
		done := make(chan error)
		collector := openStore(t, s.Dir())
		go func() { done <- second(collector.GC(ctx, nil)) }()
		time.Sleep(100 * time.Millisecond)
		setGen(0)
		if kept {
			must(t, second(s.CreateSnapshot(ctx, "kept", "")))
			setGen(7)
		}
		must(t, lock.Unlock())
		must(t, <-done)
		if _, err := os.Stat(file); err != nil {
			t.Errorf("kept by a snapshot: %v: %v", kept, err)
		}
		setGen(0)
	}
}
