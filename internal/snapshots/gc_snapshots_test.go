package snapshots_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/storetest"
)

// TestWorkGrowsWithSnapshots counts what gc and fsck allocate: four times the snapshots, each with
// a file of its own, are four times the work, and not sixteen times. fsck does no more than gc.
func TestWorkGrowsWithSnapshots(t *testing.T) {
	work := func(n int) (gc, fsck float64) {
		s := storetest.OpenStore(t, storetest.ManySnapshots(t, n))
		junk(t, s, 100)
		gc = testing.AllocsPerRun(1, func() { storetest.Must(t, storetest.Second(s.GC(t.Context(), nil))) })
		fsck = testing.AllocsPerRun(1, func() { storetest.Must(t, storetest.Second(s.Check(t.Context()))) })
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
		storetest.Must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		storetest.Must(t, os.WriteFile(file, []byte("junk"), 0o644))
		files = append(files, file)
	}
	return files
}

// TestGCKeepsWhatSnapshotsHold removes junk, few files and many, among the files that only
// snapshots have: some in one, some in several that do not follow each other, since a file came
// back by a restore.
func TestGCKeepsWhatSnapshotsHold(t *testing.T) {
	for _, n := range []int{1, 100} {
		s := storetest.OpenStore(t, storetest.ManySnapshots(t, 12))
		ctx := t.Context()
		for _, from := range []string{"s00003", "s00009", "s00003"} {
			storetest.Must(t, storetest.Second(s.RestoreSnapshot(ctx, from, "x")))
			storetest.Must(t, storetest.Second(s.CreateSnapshot(ctx, "back"+from+fmt.Sprint(len(snapshots(t, s))), "")))
			storetest.Must(t, s.Replace(ctx, "x", storetest.Source(t, 100, 4)))
		}
		storetest.Must(t, storetest.Second(s.RemoveSnapshot(ctx, "s00003")))
		junk(t, s, n)
		found, err := s.GC(ctx, nil)
		storetest.Must(t, err)
		if len(found) != n {
			t.Errorf("gc removed %d files, expected %d", len(found), n)
		}
		for i := range 12 {
			if i != 3 {
				storetest.WantValues(t, s, fmt.Sprintf("x@s%05d[0]", i), float64(i))
			}
		}
		for _, snap := range snapshots(t, s) {
			if len(snap) > 6 {
				storetest.Must(t, storetest.Second(s.Get(ctx, "x@"+snap)))
			}
		}
		storetest.WantSound(t, s.Dir())
	}
}

func snapshots(t testing.TB, s *tstore.Store) (names []string) {
	all, err := s.Snapshots(t.Context())
	storetest.Must(t, err)
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
		s := storetest.NewStore(t)
		ctx := t.Context()
		storetest.Create(t, s, "x", storetest.Source(t, 0, 300_000))
		file := filepath.Join(s.Dir(), filepath.FromSlash(storetest.Stat(t, s, "x").Storage.File()))
		setGen := func(gen uint32) {
			storetest.Must(t, storetest.EditStorage(ctx, s, "x", func(st *catalog.Storage) { st.Gen = gen }))
		}
		setGen(7) // the catalog does not name the file any more

		// Writers have this lock between their rename and their commit.
		lock, err := filelock.TryLock(filepath.Join(s.Dir(), "lock"), 2, filelock.Shared)
		storetest.Must(t, err)
		done := make(chan error)
		collector := storetest.OpenStore(t, s.Dir())
		go func() { done <- storetest.Second(collector.GC(ctx, nil)) }()
		time.Sleep(100 * time.Millisecond)
		setGen(0)
		if kept {
			storetest.Must(t, storetest.Second(s.CreateSnapshot(ctx, "kept", "")))
			setGen(7)
		}
		storetest.Must(t, lock.Unlock())
		storetest.Must(t, <-done)
		if _, err := os.Stat(file); err != nil {
			t.Errorf("kept by a snapshot: %v: %v", kept, err)
		}
		setGen(0)
	}
}
