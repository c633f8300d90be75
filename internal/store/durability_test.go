package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// madeWith makes a store of a level of durability.
func madeWith(t *testing.T, d tstore.Durability) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "store"), &tstore.Options{Durability: d})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestSyncs counts the syncs of files and folders, which are those that the durable order needs,
// and no more.
func TestSyncs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tests := []struct {
		name        string
		change      func(*tstore.Store) error
		files, dirs int
	}{
		{"create", func(s *tstore.Store) error { return s.Create(ctx, "new", storetest.Source(t, 0, 100_000)) }, 1, 1},
		{"create many small ones", func(s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("a", storetest.Source(t, 0, 2)), tx.Create("b", storetest.Source(t, 0, 2)), tx.Create("c", storetest.Source(t, 0, 2)))
			})
		}, 3, 3},
		{"create some in one file", func(s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("a", storetest.Packed(storetest.Source(t, 0, 2))), tx.Create("b", storetest.Packed(storetest.Source(t, 0, 2))))
			})
		}, 1, 1},
		{"create two large ones", func(s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("a", storetest.Source(t, 0, 100_000)), tx.Create("b", storetest.Source(t, 0, 100_000)))
			})
		}, 2, 2},
		{"compute", func(s *tstore.Store) error {
			_, err := s.Eval(ctx, "y = x * 2", nil)
			return err
		}, 1, 1},
		{"append", func(s *tstore.Store) error { return s.Append(ctx, "x", storetest.Source(t, 0, 3)) }, 1, 0},
		{"fill a little", func(s *tstore.Store) error { return s.Fill(ctx, "x[0]", storetest.Scalar(t, 1)) }, 1, 0},
		{"fill much", func(s *tstore.Store) error { return s.Fill(ctx, "x", storetest.Scalar(t, 1)) }, 1, 1},
		{"view", func(s *tstore.Store) error { return s.View(ctx, "v", "x[1:]") }, 0, 0},
		{"rename", func(s *tstore.Store) error { return s.Rename(ctx, "x", "z") }, 0, 0},
		{"delete", func(s *tstore.Store) error { return s.Delete(ctx, "x") }, 0, 0},
	}
	for _, test := range tests {
		for _, level := range []tstore.Durability{tstore.DurabilityPower, tstore.DurabilityProcess, tstore.DurabilityNone} {
			t.Run(test.name+" "+level.String(), func(t *testing.T) {
				made := madeWith(t, level)
				storetest.Create(t, made, "x", storetest.Source(t, 0, 200_000))
				folders(t, made.Dir())
				faulty := fsx.NewFaulty(fsx.OS)
				s, err := storetest.OpenOn(ctx, made.Dir(), faulty, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if err := test.change(s); err != nil {
					t.Fatal(err)
				}
				files, dirs, named := 0, 0, map[string]bool{}
				for _, op := range faulty.Log() {
					switch {
					case op.Kind == fsx.OpSync:
						files++
					case op.Kind == fsx.OpRename:
						named[filepath.Dir(op.To)] = true
					case op.Kind == fsx.OpSyncDir && filepath.Base(op.Path) != "storages":
						dirs++
					}
				}
				want := [2]int{test.files, min(test.dirs, len(named))} // two files may come to one folder
				if level != tstore.DurabilityPower {
					want = [2]int{}
				}
				if diff := cmp.Diff(want, [2]int{files, dirs}); diff != "" {
					t.Errorf("syncs of files and of folders (-want +got):\n%s%v", diff, faulty.Log())
				}
			})
		}
	}
}

// folders makes all folders of storages, so that none is made later.
func folders(t *testing.T, dir string) {
	t.Helper()
	const digits = "0123456789abcdef"
	for _, a := range digits {
		for _, b := range digits {
			if err := os.MkdirAll(filepath.Join(dir, "storages", string(a)+string(b)), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestUnsyncedAfterTheMachineStartedAnew(t *testing.T) {
	ctx := t.Context()
	s := madeWith(t, tstore.DurabilityProcess)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	storetest.Create(t, s, "y", storetest.Source(t, 5, 2))
	if n, err := s.Sync(ctx); err != nil || n != 2 {
		t.Fatalf("synced %d files: %v", n, err)
	}
	if boot := storetest.Stat(t, s, "x").Storage.Boot; boot != "" {
		t.Errorf("synced, and still marked %q", boot)
	}
	if err := s.Append(ctx, "x", storetest.Source(t, 3, 2)); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x", 0, 1, 2, 3, 4)
	err := storetest.EditStorage(ctx, s, "x", func(st *catalog.Storage) {
		if st.Boot == "" {
			t.Error("appended to without a sync, and not marked")
		}
		st.Boot = "an earlier start"
	})
	if err != nil {
		t.Fatal(err)
	}
	uses := map[string]func() error{
		"get":    func() error { _, err := s.Get(ctx, "x"); return err },
		"append": func() error { return s.Append(ctx, "x", storetest.Source(t, 0, 1)) },
		"fill":   func() error { return s.Fill(ctx, "x[0]", storetest.Scalar(t, 1)) },
		"open":   func() error { _, err := s.OpenWritable(ctx, "x"); return err },
		"eval":   func() error { _, err := s.Eval(ctx, "z = x", nil); return err },
	}
	for name, use := range uses {
		if err := use(); !errors.Is(err, tstore.ErrUnsynced) {
			t.Errorf("%s: %v", name, err)
		}
	}
	storetest.WantValues(t, s, "y", 5, 6)
	dirty, err := tstore.Open(ctx, s.Dir(), &tstore.Options{AllowDirty: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dirty.Close()
	storetest.WantValues(t, dirty, "x", 0, 1, 2, 3, 4)
	if n, err := s.Sync(ctx); err != nil || n != 0 {
		t.Errorf("synced %d files of an earlier start: %v", n, err)
	}
	found := storetest.Problems(t, s.Dir())
	if len(found) != 1 || found[0].Kind != tstore.ProblemUnsynced {
		t.Fatalf("found %v", found)
	}
	if _, err := s.Repair(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if len(storetest.Problems(t, s.Dir())) != 1 {
		t.Error("repair decided by itself that the elements are good")
	}
	if _, err := s.Repair(ctx, &tstore.RepairOptions{AcceptDirty: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	storetest.WantSound(t, s.Dir())
	storetest.WantValues(t, s, "x", 0, 1, 2, 3, 4)
}

func TestWritableOfAProcess(t *testing.T) {
	s := madeWith(t, tstore.DurabilityProcess)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	w, err := s.OpenWritable(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(view.Fill(t.Context(), w.Tensor, storetest.Scalar(t, 4)), w.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x", 4, 4, 4)
	if storetest.Stat(t, s, "x").Storage.Boot == "" {
		t.Error("written without a sync, and not marked")
	}
	power, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Durability: tstore.DurabilityPower})
	if err != nil {
		t.Fatal(err)
	}
	defer power.Close()
	if err := power.Append(t.Context(), "x", storetest.Source(t, 4, 1)); err != nil {
		t.Fatal(err)
	}
	if boot := storetest.Stat(t, s, "x").Storage.Boot; boot != "" {
		t.Errorf("synced as a whole, and still marked %q", boot)
	}
}

func TestDurabilityOptions(t *testing.T) {
	s := storetest.NewStore(t)
	_, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Durability: tstore.DurabilityNone})
	if err == nil || !strings.Contains(err.Error(), "could lose the whole store") {
		t.Errorf("got %v", err)
	}
	if _, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Durability: 9}); err == nil {
		t.Error("opened with a level that there is not")
	}
	for d := tstore.DurabilityOfStore; d <= tstore.DurabilityNone; d++ {
		if again, err := tstore.ParseDurability(d.String()); err != nil || again != d {
			t.Errorf("%v: %v, %v", d, again, err)
		}
	}
	if _, err := tstore.ParseDurability("fsync"); err == nil {
		t.Error("read fsync")
	}
}
