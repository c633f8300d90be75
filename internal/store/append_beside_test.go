package store_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// momentBeside is a context that runs change when it is asked for the left-th time whether it has
// ended, and again each time until change succeeds.
type momentBeside struct {
	context.Context
	mu     sync.Mutex
	left   int
	change func() error
}

func (m *momentBeside) Err() error {
	m.pass()
	return m.Context.Err()
}

func (m *momentBeside) Done() <-chan struct{} {
	m.pass()
	return m.Context.Done()
}

func (m *momentBeside) pass() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left--; m.left <= 0 && m.change != nil && m.change() == nil {
		m.change = nil
	}
}

func (m *momentBeside) changed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.change == nil
}

// zeroRows is a source of elements.
func zeroRows(rows int) tstore.Source {
	return tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{rows}}}
}

// createPackedPair makes x and y in one file, and v, a view of x.
func createPackedPair(tx *tstore.Tx) error {
	x, y := zeroRows(3), zeroRows(3)
	x.Pack, y.Pack = true, true
	return errors.Join(tx.Create("x", x), tx.Create("y", y), tx.View("v", "x[1:]"))
}

// lengthen are the calls that make the tensor x longer.
var lengthen = map[string]func(ctx context.Context, s *tstore.Store) error{
	"append": func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", zeroRows(2)) },
	"resize": func(ctx context.Context, s *tstore.Store) error { return s.Resize(ctx, "x", 5) },
}

// TestViewsFollowWhatMovesBeside makes a tensor longer, and at moments of that gives it a file
// of its own: its view goes on sharing its elements.
func TestViewsFollowWhatMovesBeside(t *testing.T) {
	t.Parallel()
	for name, call := range lengthen {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, other := twoHandlesOf(t)
			for n, changed := 1, true; changed; n += 3 {
				wantNone(t, s.Update(t.Context(), createPackedPair))
				m := &momentBeside{Context: t.Context(), left: n, change: func() error {
					_, err := other.OwnFile(t.Context(), "x")
					return err
				}}
				wantNone(t, call(m, s))
				changed = m.changed()
				if !sameStorage(t, s, "x", "v") {
					t.Errorf("moment %d: the view v does not share x's elements", n)
				}
				wantNone(t, s.Delete(t.Context(), "x", "y", "v"))
			}
		})
	}
}

// opensBeside is a file system that runs change once, when it has opened a file.
type opensBeside struct {
	fsx.FS
	change func() error
}

func (o *opensBeside) OpenFile(name string, flag int, perm fs.FileMode) (fsx.File, error) {
	f, err := o.FS.OpenFile(name, flag, perm)
	if change := o.change; change != nil && err == nil {
		o.change = nil
		err = errors.Join(err, change())
	}
	return f, err
}

// TestViewsFollowWhatReplacesBeside makes a view longer that is replaced meanwhile by a tensor that
// shares a file: the view of that goes on sharing its elements.
func TestViewsFollowWhatReplacesBeside(t *testing.T) {
	t.Parallel()
	for name, call := range lengthen {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, other := twoHandlesOf(t)
			wantNone(t, other.Update(t.Context(), func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("z", zeroRows(3)), tx.View("x", "z[1:]"))
			}))
			s, err := storetest.OpenOn(t.Context(), other.Dir(), &opensBeside{FS: fsx.OS, change: func() error {
				return other.Update(t.Context(), func(tx *tstore.Tx) error { return errors.Join(tx.Delete("x"), createPackedPair(tx)) })
			}}, nil)
			wantNone(t, err)
			defer s.Close()
			wantNone(t, call(t.Context(), s))
			if !sameStorage(t, s, "x", "v") {
				t.Error("the view v does not share x's elements")
			}
		})
	}
}

// twoHandlesOf opens a new store twice; the second handle does not wait for locks.
func twoHandlesOf(t *testing.T) (s, other *tstore.Store) {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), &tstore.Options{Durability: tstore.DurabilityNone})
	wantNone(t, err)
	t.Cleanup(func() { wantNone(t, s.Close()) })
	other, err = tstore.Open(t.Context(), s.Dir(), &tstore.Options{LockTimeout: time.Millisecond, Durability: tstore.DurabilityNone})
	wantNone(t, err)
	t.Cleanup(func() { wantNone(t, other.Close()) })
	return s, other
}

// sameStorage reports whether two tensors are in one storage.
func sameStorage(t *testing.T, s *tstore.Store, a, b string) bool {
	t.Helper()
	x, err := s.Stat(t.Context(), a)
	wantNone(t, err)
	y, err := s.Stat(t.Context(), b)
	wantNone(t, err)
	return x.Storage.ID == y.Storage.ID
}

func wantNone(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
