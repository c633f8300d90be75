package store_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// beside opens a store in which fn is called once, at the first operation of a kind on a data file.
func beside(t *testing.T, s *tstore.Store, kind fsx.OpKind, fn func() error) *tstore.Store {
	t.Helper()
	faulty := fsx.NewFaulty(fsx.OS)
	other, err := storetest.OpenOn(t.Context(), s.Dir(), faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	faulty.CountReads()
	var result error
	faulty.FailIf(func(o fsx.Op) error {
		if o.Kind == kind && strings.Contains(o.Path+o.To, "storages") && result == nil {
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

// TestSealWhileReplaced replaces a tensor while it is being sealed: what has the name then is
// sealed.
func TestSealWhileReplaced(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 1, 3))
	replaced := false
	err := s.Seal(t.Context(), "x", &tstore.SealOptions{Progress: func(int64, int64) {
		if !replaced {
			replaced = true
			if err := s.Replace(t.Context(), "x", storetest.Source(t, 7, 2)); err != nil {
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
	storetest.WantValues(t, s, "x", 7, 8)
}

// TestRestoreWhileSharerGoes removes the name for whose sake elements are copied, between the copy
// and the commit.
func TestRestoreWhileSharerGoes(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 1, 3))
	_, kept := s.CreateSnapshot(t.Context(), "monday", "")
	if err := errors.Join(kept, s.View(t.Context(), "shared", "x"), s.Fill(t.Context(), "x", dtype.ScalarOf(9.0))); err != nil {
		t.Fatal(err)
	}
	other := beside(t, s, fsx.OpRename, func() error { return s.Delete(t.Context(), "shared") })
	if _, err := other.RestoreSnapshot(t.Context(), "monday", "x"); err != nil {
		t.Error(err)
	}
	storetest.WantValues(t, s, "x", 1, 2, 3)
}

// TestReplacedWhileRecovered replaces a tensor at each moment at which another process finds a
// small change of it interrupted, and finishes that: the tensor is there all the time.
func TestReplacedWhileRecovered(t *testing.T) {
	s := storetest.NewStore(t)
	other := storetest.Impatient(t, s.Dir(), time.Millisecond)
	replace := func() error { return other.Replace(t.Context(), "x", storetest.Source(t, 7, 2)) }
	storetest.AtEachMoment(t, replace, func(ctx context.Context, _ func() bool) {
		storetest.Create(t, s, "x", storetest.Source(t, 1, 3))
		storetest.Must(t, storetest.PutPatch(t.Context(), s, "x", catalog.Patch{Offset: 8, Bytes: make([]byte, 8)}))
		storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "nobody" }))
		x, err := storetest.OpenStore(t, s.Dir()).Get(ctx, "x")
		storetest.Must(t, err)
		storetest.Must(t, x.Close())
		storetest.Must(t, s.Delete(t.Context(), "x"))
	})
}

// TestPackedGoesWhileChanged removes tensors that share a file at each moment of a change that
// gives one a file of its own.
func TestPackedGoesWhileChanged(t *testing.T) {
	t.Parallel()
	s, err := tstore.Init(t.Context(), t.TempDir(), &tstore.Options{Durability: tstore.DurabilityNone})
	storetest.Must(t, err)
	defer s.Close()
	other := storetest.Impatient(t, s.Dir(), time.Millisecond)
	replace := func() error {
		return other.Update(t.Context(), func(tx *tstore.Tx) error {
			return errors.Join(tx.Replace("x", storetest.Source(t, 1, 3)), tx.Replace("y", storetest.Source(t, 1, 3)))
		})
	}
	for name, change := range map[string]func(ctx context.Context) error{
		"append": func(ctx context.Context) error { return s.Append(ctx, "x", storetest.Source(t, 9, 1)) },
		"resize": func(ctx context.Context) error { return s.Resize(ctx, "x", 5) },
		"in place": func(ctx context.Context) error {
			w, err := s.OpenWritable(ctx, "x")
			if err == nil {
				if err = w.Close(); errors.Is(err, tstore.ErrConflict) {
					err = nil // it was replaced while it was open
				}
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.AtEachMoment(t, replace, func(ctx context.Context, _ func() bool) {
				storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
					x, y := storetest.Source(t, 1, 3), storetest.Source(t, 1, 3)
					x.Pack, y.Pack = true, true
					return errors.Join(tx.Create("x", x), tx.Create("y", y))
				}))
				if err := change(ctx); err != nil && !errors.Is(err, tstore.ErrConflict) && !errors.Is(err, tstore.ErrBusy) {
					t.Error(err)
				}
				storetest.Must(t, s.Delete(t.Context(), "x", "y"))
			})
		})
	}
}
