package store_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

func TestQuarantineEnds(t *testing.T) {
	var kept []byte
	var path string
	s := storetest.Damaged(t, func(t *testing.T, _ *tstore.Store, file string) {
		var err error
		path = file
		kept, err = os.ReadFile(file)
		storetest.Must(t, err)
		storetest.Must(t, os.Remove(file))
	})
	_, err := s.Repair(t.Context(), nil)
	storetest.Must(t, err)
	if _, err := s.Get(t.Context(), "x"); err == nil {
		t.Error("a quarantined tensor opened")
	}
	storetest.Must(t, os.WriteFile(path, kept, 0o644))
	_, err = s.Repair(t.Context(), nil)
	storetest.Must(t, err)
	storetest.WantValues(t, s, "x[:3]", 0, 1, 2)
	storetest.WantSound(t, s.Dir())
}

func TestAcceptDirty(t *testing.T) {
	s := storetest.Damaged(t, func(t *testing.T, s *tstore.Store, _ string) {
		storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Dirty, "process 1 on here" }))
	})
	if _, err := s.Get(t.Context(), "x"); err == nil {
		t.Error("a dirty tensor opened unasked")
	}
	peek, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{AllowDirty: true})
	storetest.Must(t, err)
	defer peek.Close()
	storetest.WantValues(t, peek, "x[:2]", 0, 1)
	_, err = s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"x"}})
	storetest.Must(t, err)
	storetest.WantValues(t, s, "x[:2]", 0, 1)
	storetest.WantSound(t, s.Dir())
}

// TestQuarantineKeepsTheState: a storage comes back from quarantine as unfinished as it went.
func TestQuarantineKeepsTheState(t *testing.T) {
	for _, state := range []catalog.State{catalog.Dirty, catalog.Patching} {
		t.Run(state.String(), func(t *testing.T) {
			var file string
			s := storetest.Damaged(t, func(t *testing.T, s *tstore.Store, path string) {
				file = path
				storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = state, "process 1 on here" }))
				if state == catalog.Patching {
					storetest.Must(t, storetest.PutPatch(t.Context(), s, "x", catalog.Patch{Offset: 8, Bytes: make([]byte, 8)}))
				}
				storetest.Must(t, os.Rename(path, path+".away"))
			})
			_, err := s.Repair(t.Context(), nil)
			storetest.Must(t, err)
			storetest.Must(t, os.Rename(file+".away", file))
			_, err = s.Repair(t.Context(), nil)
			storetest.Must(t, err)
			if state == catalog.Patching {
				storetest.WantValues(t, s, "x[:3]", 0, 0, 2)
				return
			}
			if _, err := s.Get(t.Context(), "x"); !errors.Is(err, tstore.ErrDirty) {
				t.Errorf("the storage was dirty, opening it: %v", err)
			}
		})
	}
}

// TestReadersSeeWholePatches lets many readers meet the patch of a dead writer.
func TestReadersSeeWholePatches(t *testing.T) {
	for range 5 {
		s := storetest.NewStore(t)
		storetest.Create(t, s, "x", storetest.Source(t, 1, 20_000))
		storetest.Must(t, storetest.PutPatch(t.Context(), s, "x", catalog.Patch{Bytes: make([]byte, 1<<10)}))
		storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "process 1 on here" }))
		var readers errgroup.Group
		for range 8 {
			readers.Go(func() error {
				own, err := tstore.Open(t.Context(), s.Dir(), nil)
				if err != nil {
					return err
				}
				x, err := own.Get(t.Context(), "x")
				if err != nil {
					return errors.Join(err, own.Close())
				}
				v, err := x.Get(0)
				if err == nil && !v.IsZero() {
					err = fmt.Errorf("read %v before the patch was applied", v)
				}
				return errors.Join(err, x.Close(), own.Close())
			})
		}
		storetest.Must(t, readers.Wait())
		if n := storetest.Stat(t, s, "x").Storage.Changes; n != 1 {
			t.Errorf("the patch was counted %d times", n)
		}
	}
}

// TestWritingToDirty writes in place to part of a tensor that is half written: that finishes
// nothing.
func TestWritingToDirty(t *testing.T) {
	const writer = "process 1 on here"
	s := storetest.Damaged(t, func(t *testing.T, s *tstore.Store, _ string) {
		storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Dirty, writer }))
	})
	if _, err := s.OpenWritable(t.Context(), "x"); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("without leave: got %v, want ErrDirty", err)
	}
	daring, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{AllowDirty: true})
	storetest.Must(t, err)
	defer daring.Close()
	w, err := daring.OpenWritable(t.Context(), "x[:1]")
	storetest.Must(t, err)
	storetest.Must(t, errors.Join(w.Set(storetest.Scalar(t, 5), 0), w.Close()))
	if st := storetest.Stat(t, s, "x").Storage; st.State != catalog.Dirty || st.Writer != writer {
		t.Errorf("the storage is %v, written by %q: want it dirty, by %q", st.State, st.Writer, writer)
	}
	_, err = s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"x"}})
	storetest.Must(t, err)
	storetest.WantValues(t, s, "x[:2]", 5, 1)
}
