package tstore_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
)

// beside opens a store in which fn is called once, at the first operation of a kind on a data file.
func beside(t *testing.T, s *tstore.Store, kind fsx.OpKind, fn func() error) *tstore.Store {
	t.Helper()
	faulty := fsx.NewFaulty(fsx.OS)
	other, err := tstore.OpenOn(t.Context(), s.Dir(), faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	var result error
	faulty.FailIf(func(o fsx.Op) error {
		if o.Kind == kind && result == nil {
			if result = fn(); result == nil {
				result = io.EOF // once
			}
		}
		return nil
	})
	t.Cleanup(func() {
		if err := other.Close(); err != nil || result != io.EOF {
			t.Errorf("close: %v; beside: %v", err, result)
		}
	})
	return other
}

// TestSealWhileReplaced replaces a tensor while it is being sealed: what has the name then is sealed.
func TestSealWhileReplaced(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 1, 3))
	replaced := false
	err := s.Seal(t.Context(), "x", &tstore.SealOptions{Progress: func(int64, int64) {
		if !replaced {
			replaced = true
			if err := s.Replace(t.Context(), "x", source(t, 7, 2)); err != nil {
				t.Error(err)
			}
		}
	}})
	if err != nil {
		t.Error(err)
	}
	if info, err := s.Stat(t.Context(), "x"); err != nil || info.Storage.Seal == nil {
		t.Errorf("the replaced tensor is not sealed: %v", err)
	}
	wantValues(t, s, "x", 7, 8)
}

// TestRestoreWhileSharerGoes removes the name for whose sake elements are copied, between the copy and the commit.
func TestRestoreWhileSharerGoes(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 1, 3))
	_, kept := s.CreateSnapshot(t.Context(), "monday", "")
	if err := errors.Join(kept, s.View(t.Context(), "shared", "x"), s.Fill(t.Context(), "x", dtype.ScalarOf(9.0))); err != nil {
		t.Fatal(err)
	}
	other := beside(t, s, fsx.OpRename, func() error { return s.Delete(t.Context(), "shared") })
	if _, err := other.RestoreSnapshot(t.Context(), "monday", "x"); err != nil {
		t.Error(err)
	}
	wantValues(t, s, "x", 1, 2, 3)
}

// TestReplacedWhileRecovered replaces a tensor at each moment at which another process finds a small change of it
// interrupted, and finishes that: the tensor is there all the time.
func TestReplacedWhileRecovered(t *testing.T) {
	s := newStore(t)
	other := impatient(t, s.Dir(), time.Millisecond)
	replace := func() error { return other.Replace(t.Context(), "x", source(t, 7, 2)) }
	atEachMoment(t, replace, func(ctx context.Context, _ func() bool) {
		create(t, s, "x", source(t, 1, 3))
		must(t, tstore.PutPatch(t.Context(), s, "x", catalog.Patch{Offset: 8, Bytes: make([]byte, 8)}))
		must(t, tstore.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "nobody" }))
		x, err := openStore(t, s.Dir()).Get(ctx, "x")
		must(t, err)
		must(t, x.Close())
		must(t, s.Delete(t.Context(), "x"))
	})
}
