package storetest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

// OpenStore opens a store that is closed when the test ends.
func OpenStore(t testing.TB, dir string) *tstore.Store {
	t.Helper()
	s, err := tstore.Open(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ManySnapshots makes a store of n snapshots of a few tensors, one of which is another in each.
func ManySnapshots(t testing.TB, n int) string {
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, &tstore.Options{Durability: tstore.DurabilityNone})
	Must(t, err)
	for _, name := range []string{"x", "kept1", "kept2", "kept3", "beside"} {
		Create(t, s, name, Source(t, 0, 4))
	}
	for i := range n {
		Must(t, s.Replace(t.Context(), "x", Source(t, float64(i), 4)))
		Must(t, Second(s.CreateSnapshot(t.Context(), fmt.Sprintf("s%05d", i), "")))
	}
	Must(t, s.Close())
	return dir
}

// Damaged is a store with one tensor "x" of its own file, damaged by harm.
func Damaged(t *testing.T, harm func(t *testing.T, s *tstore.Store, file string)) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	Create(t, s, "x", Source(t, 0, 20_000))
	Create(t, s, "fine", Source(t, 0, 3))
	info, err := s.Stat(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	harm(t, s, filepath.Join(s.Dir(), filepath.FromSlash(info.Storage.File())))
	return s
}

// WantNoLeftovers fails the test when there are files that nothing names.
func WantNoLeftovers(t *testing.T, s *tstore.Store) {
	t.Helper()
	garbage, err := s.GC(t.Context(), &tstore.GCOptions{DryRun: true})
	if err != nil || len(garbage) > 0 {
		t.Errorf("left over: %+v, %v", garbage, err)
	}
}

// NewStore makes a store that is checked for damage when the test ends.
func NewStore(t testing.TB) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		WantSound(t, s.Dir())
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// WantSound fails the test when Check finds damage; leftovers are allowed.
func WantSound(t testing.TB, dir string) {
	t.Helper()
	for _, p := range Problems(t, dir) {
		if !p.Harmless {
			t.Errorf("%s: %v %s: %s", p.Kind, p.Names, p.File, p.Detail)
		}
	}
}

// Problems are what Check finds in the store of a folder.
func Problems(t testing.TB, dir string) []tstore.Problem {
	t.Helper()
	s, err := tstore.Open(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found, err := s.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// StorageFiles is the number of data files of a store.
func StorageFiles(t testing.TB, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "storages", "*", "*.npy"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// Impatient opens a store for a second time, with little patience. Only the opening waits for
// others, which may be cleaning up after a commit.
func Impatient(t *testing.T, dir string, patience time.Duration) *tstore.Store {
	t.Helper()
	s, err := tstore.Open(t.Context(), dir, &tstore.Options{LockTimeout: patience})
	for errors.Is(err, tstore.ErrLockTimeout) && t.Context().Err() == nil {
		s, err = tstore.Open(t.Context(), dir, &tstore.Options{LockTimeout: patience})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// OnlyStorage is the path of the only data file of a store.
func OnlyStorage(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "storages", "*", "*.npy"))
	Must(t, err)
	if len(files) != 1 {
		t.Fatalf("found %d storage files", len(files))
	}
	return files[0]
}

// Snapshot keeps the state of a store.
func Snapshot(t testing.TB, s *tstore.Store, name string) catalog.Snapshot {
	t.Helper()
	snap, err := s.CreateSnapshot(t.Context(), name, "")
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

// Restore brings names back from a snapshot, or all of them.
func Restore(t testing.TB, s *tstore.Store, name string, names ...string) tstore.Restored {
	t.Helper()
	done, err := s.RestoreSnapshot(t.Context(), name, names...)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// Collect collects garbage, and returns the number of files.
func Collect(t testing.TB, s *tstore.Store) int {
	t.Helper()
	removed, err := s.GC(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return len(removed)
}

// WriteInPlace stores v into the first element of a tensor.
func WriteInPlace(ctx context.Context, s *tstore.Store, name string, v float64) error {
	w, err := s.OpenWritable(ctx, name)
	if err != nil {
		return err
	}
	return errors.Join(w.Set(dtype.ScalarOf(v), 0), w.Close())
}

// DataPath is the path of a tensor's data file.
func DataPath(t testing.TB, s *tstore.Store, name string) string {
	t.Helper()
	return filepath.Join(s.Dir(), filepath.FromSlash(Stat(t, s, name).Storage.File()))
}

// NewDamagedStore is newStore for a test that leaves damage behind.
func NewDamagedStore(t *testing.T) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
