package store_test

import (
	"errors"
	"io"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// packedStore holds a and b in one file, a view of a, and a tensor that was computed from each.
func packedStore(t *testing.T) *tstore.Store {
	t.Helper()
	s := storetest.NewStore(t)
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Create("a", storetest.Packed(storetest.Source(t, 0, 10))), tx.Create("b", storetest.Packed(storetest.Source(t, 0, 10))), tx.View("tail", "a[5:]"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if storetest.Stat(t, s, "a").Storage.ID != storetest.Stat(t, s, "b").Storage.ID {
		t.Fatal("a and b have files of their own")
	}
	for name, text := range map[string]string{"of_a": "a*2", "of_b": "b*2", "of_tail": "tail*2"} {
		if err := s.Define(t.Context(), name, text, &tstore.DefineOptions{Materialize: true}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestPackedStale changes tensors that share a file in every way, and checks that what was computed
// from others is not stale by that.
func TestPackedStale(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(s *tstore.Store) error
		stale  map[string]bool
	}{
		"patch":       {func(s *tstore.Store) error { return s.Fill(t.Context(), "a[:7]", storetest.Scalar(t, 9)) }, map[string]bool{"of_a": true, "of_tail": true}},
		"patch front": {func(s *tstore.Store) error { return s.Fill(t.Context(), "a[:3]", storetest.Scalar(t, 9)) }, map[string]bool{"of_a": true}},
		"patch tail":  {func(s *tstore.Store) error { return s.Fill(t.Context(), "tail", storetest.Scalar(t, 9)) }, map[string]bool{"of_a": true, "of_tail": true}},
		"change":      {func(s *tstore.Store) error { return storetest.Discard(s.Eval(t.Context(), "b[2:4] += 1", nil)) }, map[string]bool{"of_b": true}},
		"program": {func(s *tstore.Store) error {
			return storetest.Discard(s.Eval(t.Context(), "b[2:4] += 1; c = b*1", nil))
		}, map[string]bool{"of_b": true}},
		"two": {func(s *tstore.Store) error { return storetest.Discard(s.Eval(t.Context(), "tail += 1; b += 1", nil)) },
			map[string]bool{"of_a": true, "of_b": true, "of_tail": true}},
		"in place": {func(s *tstore.Store) error {
			return storetest.Discard(s.Eval(t.Context(), "b += 1", &tstore.EvalOptions{InPlace: true}))
		}, map[string]bool{"of_b": true}},
		"two in place": {func(s *tstore.Store) error {
			return storetest.Discard(s.Eval(t.Context(), "b += 1; tail += 1", &tstore.EvalOptions{InPlace: true}))
		}, map[string]bool{"of_a": true, "of_b": true, "of_tail": true}},
		"writable": {func(s *tstore.Store) error {
			w, err := s.OpenWritable(t.Context(), "a[:2]")
			if err != nil {
				return err
			}
			return w.Close()
		}, map[string]bool{"of_a": true}},
	} {
		t.Run(name, func(t *testing.T) {
			s := packedStore(t)
			if err := tc.change(s); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"of_a", "of_b", "of_tail"} {
				f, err := s.Formula(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				if f.Stale != tc.stale[name] {
					t.Errorf("%s: stale %t, want %t (%+v)", name, f.Stale, tc.stale[name], f.Inputs)
				}
			}
		})
	}
}

// TestPackedConflict changes tensors while others that were in their file are appended to: that is
// a conflict only where they are copied and share bytes.
func TestPackedConflict(t *testing.T) {
	for name, tc := range map[string]struct {
		append, change string
		want           error
	}{
		"neighbour":  {"b", "a[:5]", nil},
		"rest of it": {"tail", "a[1]", nil},
		"of view":    {"tail", "a[8]", tstore.ErrConflict},
	} {
		t.Run(name, func(t *testing.T) {
			s := packedStore(t)
			more := storetest.Source(t, 0, 1)
			more.Data = &hookedReader{r: more.Data, hook: func() error { return s.Fill(t.Context(), tc.change, storetest.Scalar(t, 9)) }}
			if err := s.Append(t.Context(), tc.append, more); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

// hookedReader calls hook once, before anything is read.
type hookedReader struct {
	r    io.Reader
	hook func() error
}

func (h *hookedReader) Read(p []byte) (int, error) {
	if hook := h.hook; hook != nil {
		h.hook = nil
		if err := hook(); err != nil {
			return 0, err
		}
	}
	return h.r.Read(p)
}

// TestVersionsGrow checks that the version of a tensor never comes again, also where it gets
// another share of the changes of its file.
func TestVersionsGrow(t *testing.T) {
	s := packedStore(t)
	last := storetest.Stat(t, s, "a").Version()
	for i, change := range []func() error{
		func() error { return s.Fill(t.Context(), "a[8:]", storetest.Scalar(t, 1)) },
		func() error { return s.Fill(t.Context(), "a[9]", storetest.Scalar(t, 2)) },
		func() error { return s.Fill(t.Context(), "a[7]", storetest.Scalar(t, 2)) },
		func() error { return s.Resize(t.Context(), "a", 7) },
		func() error { return s.Fill(t.Context(), "a[:2]", storetest.Scalar(t, 3)) },
		func() error { return s.Resize(t.Context(), "a", 3) },
		func() error { return s.Resize(t.Context(), "a", 8) },
		func() error { return s.Append(t.Context(), "a", storetest.Source(t, 0, 5)) },
		func() error { return s.Replace(t.Context(), "a", storetest.Source(t, 0, 5)) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		now := storetest.Stat(t, s, "a").Version()
		if now <= last {
			t.Errorf("change %d: version %d after %d", i, now, last)
		}
		last = now
	}
}
