package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/storetest"
)

// closing is a store of whose Close the test decides, which is checked for damage when the test
// ends.
func closing(t *testing.T) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		storetest.WantSound(t, s.Dir())
	})
	return s
}

// startInPlace begins an evaluation in place that stays in the middle of its work until goOn is
// called, and has done then returns its error.
func startInPlace(t *testing.T, ctx context.Context, s *tstore.Store, text string) (goOn func(), done func() error) {
	t.Helper()
	begun, wait, result := make(chan bool), make(chan bool), make(chan error, 1)
	var once sync.Once
	o := &tstore.EvalOptions{InPlace: true, Compute: compute.Options{Progress: func(compute.Progress) {
		once.Do(func() { close(begun); <-wait })
	}}}
	go func() {
		_, err := s.Eval(ctx, text, o)
		result <- err
	}()
	<-begun
	return sync.OnceFunc(func() { close(wait) }), func() error { return <-result }
}

// TestCloseWaits closes a store while elements are changed in place: the change is completed, and
// nothing stays dirty.
func TestCloseWaits(t *testing.T) {
	s := closing(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 300_000))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 300_000))
	// y is changed in a second pass, long after the store begins to close.
	goOn, done := startInPlace(t, t.Context(), s, "x += 1; z = x + 0; z[:] += 1; y += z")
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	for {
		if err := s.Rename(t.Context(), "nosuch", "other"); errors.Is(err, tstore.ErrClosed) {
			break
		}
	}
	if _, err := s.Stat(t.Context(), "x"); err != nil {
		t.Errorf("reading while the store closes: %v", err)
	}
	select {
	case err := <-closed:
		t.Errorf("the store was closed while it was written: %v", err)
	default:
	}
	goOn()
	if err := errors.Join(done(), <-closed, s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Stat(t.Context(), "x"); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("reading a closed store: %v, want ErrClosed", err)
	}
	again := storetest.Impatient(t, s.Dir(), 0)
	storetest.WantValues(t, again, "x[:3]", 1, 2, 3)
	storetest.WantValues(t, again, "y[:3]", 2, 4, 6)
}

// TestCloseCancelled cancels an evaluation in place so that Close need not wait for its end: it
// says what it left dirty.
func TestCloseCancelled(t *testing.T) {
	s := closing(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 300_000))
	ctx, cancel := context.WithCancel(t.Context())
	goOn, done := startInPlace(t, ctx, s, "x += 1")
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	cancel()
	goOn()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	err := done()
	if err == nil {
		t.Fatal("an evaluation that was cancelled before it went on did not end with that")
	}
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), `"x" is left half written`) {
		t.Errorf("got %v, want the name of the dirty tensor", err)
	}
	again := storetest.Impatient(t, s.Dir(), 0)
	if _, err := again.Get(t.Context(), "x"); !errors.Is(err, tstore.ErrDirty) {
		t.Errorf("get: %v, want ErrDirty", err)
	}
	if _, err := again.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"x"}}); err != nil {
		t.Error(err)
	}
}

// TestWritableOutlivesStore closes tensors that are open for writing after their store.
func TestWritableOutlivesStore(t *testing.T) {
	s := closing(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 3))
	var open []*tstore.Writable
	for _, name := range []string{"x", "y"} {
		w, err := s.OpenWritable(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, w)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, w := range open {
		if err := errors.Join(w.Set(storetest.Scalar(t, 7), 0), w.Flush(), w.Close(), w.Close()); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.OpenWritable(t.Context(), "x"); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("open a tensor of a closed store: %v, want ErrClosed", err)
	}
	again := storetest.Impatient(t, s.Dir(), 0)
	storetest.WantValues(t, again, "x", 7, 1, 2)
	storetest.WantValues(t, again, "y", 7, 1, 2)
}

// TestCloseAmidChanges closes a store that many goroutines use: each call does what it should or
// says that the store is closed.
func TestCloseAmidChanges(t *testing.T) {
	s := closing(t)
	for _, name := range []string{"a", "b"} {
		storetest.Create(t, s, name, storetest.Source(t, 0, 20_000))
	}
	ctx := t.Context()
	evaluate := func(text string, inPlace bool) error {
		r, err := s.Eval(ctx, text, &tstore.EvalOptions{InPlace: inPlace})
		if err == nil {
			err = r.Close()
		}
		return err
	}
	var all sync.WaitGroup
	for name, call := range map[string]func() error{
		"in place": func() error { return evaluate("a += 1", true) },
		"change":   func() error { return evaluate("a[:9] += 1; b += 2", false) },
		"read":     func() error { return evaluate("b.sum()", false) },
		"fill":     func() error { return s.Fill(ctx, "b[:10]", storetest.Scalar(t, 1)) },
		"append":   func() error { return s.Append(ctx, "b", storetest.Source(t, 0, 10)) },
		"resize":   func() error { return s.Resize(ctx, "b", 10_000) },
		"copy":     func() error { return s.Copy(ctx, "c", "b", &tstore.ImportOptions{Overwrite: true}) },
		"compute":  func() error { return s.Copy(ctx, "d", "b[[1, 2]]", &tstore.ImportOptions{Overwrite: true}) },
		"gc":       func() error { _, err := s.GC(ctx, nil); return err },
	} {
		for range 2 {
			all.Go(func() {
				for {
					err := call()
					switch {
					case errors.Is(err, tstore.ErrClosed):
						return
					case err == nil, errors.Is(err, tstore.ErrDirty), errors.Is(err, tstore.ErrConflict), errors.Is(err, tstore.ErrExists), errors.Is(err, tstore.ErrNotFound):
					default:
						t.Errorf("%s: %v", name, err)
						return
					}
				}
			})
		}
	}
	for range 30 {
		if err := s.SetAttr(ctx, "a", "k", catalog.IntValue(1)); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	storetest.WantSound(t, s.Dir())
}
