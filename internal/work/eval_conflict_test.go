package work_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/storetest"
)

// during returns options that call fn once while elements are computed.
func during(t *testing.T, fn func() error) *tstore.EvalOptions {
	done := false
	return &tstore.EvalOptions{Compute: compute.Options{Progress: func(compute.Progress) {
		if done {
			return
		}
		done = true
		if err := fn(); err != nil {
			t.Error(err)
		}
	}}}
}

// TestAnotherOfTheName gives a name to another tensor of the same version and storage while an
// evaluation that replaces it runs.
func TestAnotherOfTheName(t *testing.T) {
	tests := map[string]struct {
		fn   func(s *tstore.Store) error
		eval func(s *tstore.Store, o *tstore.EvalOptions) error
	}{
		"view": {
			fn: func(s *tstore.Store) error {
				return errors.Join(s.Delete(t.Context(), "part"), s.View(t.Context(), "part", "large[50000:]"))
			},
			eval: func(s *tstore.Store, o *tstore.EvalOptions) error {
				_, err := s.Eval(t.Context(), "part = part + large[:50000]", o)
				return err
			},
		},
		"renamed": {
			fn: func(s *tstore.Store) error {
				return errors.Join(s.Rename(t.Context(), "p", "old"), s.Rename(t.Context(), "q", "p"))
			},
			eval: func(s *tstore.Store, o *tstore.EvalOptions) error {
				_, err := s.Eval(t.Context(), "p = p + large.sum()", o)
				return err
			},
		},
		"definition": {
			fn: func(s *tstore.Store) error {
				return errors.Join(s.Delete(t.Context(), "lazy"), s.Define(t.Context(), "lazy", "large + 2", nil))
			},
			eval: func(s *tstore.Store, o *tstore.EvalOptions) error { return s.Materialize(t.Context(), "lazy", o) },
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := evalStore(t)
			storetest.Eval(t, s, "p = zeros(3); q = ones(3)", nil)
			storetest.Define(t, s, "lazy", "large + 1")
			if err := s.View(t.Context(), "part", "large[:50000]"); err != nil {
				t.Fatal(err)
			}
			err := test.eval(s, during(t, func() error { return test.fn(s) }))
			if !errors.Is(err, tstore.ErrConflict) {
				t.Errorf("got %v, want ErrConflict", err)
			}
		})
	}
}

// TestNewOnly checks that a tensor which appears meanwhile is not replaced.
func TestNewOnly(t *testing.T) {
	s := evalStore(t)
	storetest.Define(t, s, "lazy", "large*2")
	storetest.Define(t, s, "mask", "large < 5")
	o := during(t, func() error { return s.Create(t.Context(), "c", storetest.Source(t, 7, 2)) })
	if err := s.Copy(t.Context(), "c", "lazy[mask]", &tstore.ImportOptions{Eval: o}); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("copy: got %v, want ErrExists", err)
	}
	wantEvaluated(t, s, "c", 7, 8)
	if _, err := s.Eval(t.Context(), "c = x", &tstore.EvalOptions{NewOnly: true}); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("eval: got %v, want ErrExists", err)
	}
	wantEvaluated(t, s, "c", 7, 8)
}

// TestInPlaceTargetBusy checks that nothing is marked when a target can't be had.
func TestInPlaceTargetBusy(t *testing.T) {
	s := storetest.Impatient(t, evalStore(t).Dir(), 20*time.Millisecond)
	storetest.Eval(t, s, "a = zeros(100_000); b = zeros(100_000)", nil)
	for _, busy := range []string{"a", "b"} {
		w, err := s.OpenWritable(t.Context(), busy)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Eval(t.Context(), "a += 1; b += 1", &tstore.EvalOptions{InPlace: true}); err == nil {
			t.Errorf("%s is busy, and there is no error", busy)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if got := evalBare(t, s, "a.sum() + b.sum()", nil); got[0] != 0 {
			t.Errorf("%s was busy, and elements are changed: %v", busy, got)
		}
	}
}

// TestEvaluateLazyOptions checks options that mean nothing for a selector.
func TestEvaluateLazyOptions(t *testing.T) {
	s := evalStore(t)
	storetest.Define(t, s, "lazy", "y*2")
	o := &tstore.EvalOptions{Explain: tstore.ExplainOnly, Group: "nosuch"}
	x, err := s.EvaluateWith(t.Context(), "lazy[0]", o)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if got := storetest.Elements(t, x.Tensor); len(got) != 1 || got[0] != 20 {
		t.Errorf("got %v", got)
	}
}

// TestTargetReplacedMeanwhile replaces a tensor between the moment it is locked to be changed and
// the statement that changes it.
func TestTargetReplacedMeanwhile(t *testing.T) {
	for name, inPlace := range map[string]bool{"copied": false, "in place": true} {
		t.Run(name, func(t *testing.T) {
			s := evalStore(t)
			storetest.Eval(t, s, "b = zeros(10)", nil)
			o := during(t, func() error { return s.Replace(t.Context(), "b", storetest.Source(t, 5, 2)) })
			o.InPlace = inPlace
			_, err := s.Eval(t.Context(), "z = zeros(300_000); z[:1] = 1; b[:2] += 1", o)
			if !errors.Is(err, tstore.ErrConflict) {
				t.Errorf("got %v, want ErrConflict", err)
			}
			storetest.WantValues(t, s, "b", 5, 6)
			if _, err := s.Stat(t.Context(), "z"); !errors.Is(err, tstore.ErrNotFound) {
				t.Errorf("z: %v, want ErrNotFound", err)
			}
		})
	}
}

// TestNewNameTakenMeanwhile makes a tensor of a name that is free when the program begins, and
// taken when it ends.
func TestNewNameTakenMeanwhile(t *testing.T) {
	s := evalStore(t)
	o := during(t, func() error { return s.Create(t.Context(), "b", storetest.Source(t, 5, 2)) })
	_, err := s.Eval(t.Context(), "b = zeros(300_000)", o)
	if conflict := (*tstore.ConflictError)(nil); !errors.As(err, &conflict) || !slices.Equal(conflict.Names, []string{"b"}) {
		t.Errorf("got %v, want a conflict about b", err)
	}
	storetest.WantValues(t, s, "b", 5, 6)
}

// TestTargetGoneMeanwhile removes a tensor while a program computes its new elements: they are
// there in the end.
func TestTargetGoneMeanwhile(t *testing.T) {
	for name, journal := range map[string]tstore.Journal{"": {}, "job": {Must: true}} {
		t.Run(name, func(t *testing.T) {
			s := evalStore(t)
			src := storetest.Source(t, 1, 2)
			src.Dims = []string{"old"}
			storetest.Must(t, s.Create(t.Context(), "b", src))
			src = storetest.Source(t, 0, 100_000)
			src.Dims = []string{"time"}
			storetest.Must(t, s.Create(t.Context(), "long", src))
			o := during(t, func() error { return s.Delete(t.Context(), "b") })
			o.Journal = journal
			storetest.Eval(t, s, "b = long + 1", o)
			storetest.WantValues(t, s, "b[-2:]", 99_999, 100_000)
			info, err := s.Stat(t.Context(), "b")
			storetest.Must(t, err)
			if got := info.Dims(); name == "" && !slices.Equal(got, []string{"time"}) {
				t.Errorf("the axes are %v, want those of the operand", got)
			}
		})
	}
}

// TestOverwrittenGoneMeanwhile removes a tensor, or makes one, at each moment at which another one
// is copied over it.
func TestOverwrittenGoneMeanwhile(t *testing.T) {
	s := evalStore(t)
	other := storetest.Impatient(t, s.Dir(), time.Millisecond)
	storetest.AtEachMoment(t, func() error { return other.Delete(t.Context(), "b") }, func(ctx context.Context, _ func() bool) {
		storetest.Must(t, s.Copy(t.Context(), "b", "x", &tstore.ImportOptions{Overwrite: true}))
		storetest.Must(t, s.Copy(ctx, "b", "y", &tstore.ImportOptions{Overwrite: true}))
	})
	storetest.AtEachMoment(t, func() error { return other.Create(t.Context(), "new", storetest.Source(t, 1, 3)) }, func(ctx context.Context, made func() bool) {
		storetest.Must(t, s.Copy(ctx, "new", "y", &tstore.ImportOptions{Overwrite: true}))
		if !made() {
			storetest.WantValues(t, s, "new", 10, 11)
		}
		storetest.Must(t, s.Delete(t.Context(), "new"))
	})
}
