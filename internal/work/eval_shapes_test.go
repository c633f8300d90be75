package work_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// TestDefinedWhileLookedUp makes a tensor a lazy name at each moment of an evaluation that reads
// it.
func TestDefinedWhileLookedUp(t *testing.T) {
	t.Parallel()
	s, err := tstore.Init(t.Context(), t.TempDir(), &tstore.Options{Durability: tstore.DurabilityNone})
	storetest.Must(t, err)
	defer s.Close()
	other := storetest.Impatient(t, s.Dir(), time.Millisecond)
	storetest.Eval(t, s, "a = ones(3)", nil)
	storetest.Must(t, storetest.Second(s.CreateSnapshot(t.Context(), "monday", "")))
	define := func() error {
		return other.Update(t.Context(), func(tx *tstore.Tx) error {
			return errors.Join(tx.Delete("a"), tx.Store().Define(t.Context(), "a", "ones(2)", nil))
		})
	}
	storetest.AtEachMoment(t, define, func(ctx context.Context, _ func() bool) {
		storetest.Must(t, storetest.Second(s.RestoreSnapshot(t.Context(), "monday")))
		storetest.Must(t, storetest.Discard(storetest.OpenStore(t, s.Dir()).Eval(ctx, "b = a + 1", nil)))
	})
}

// TestShapesOfTwoStates gives two tensors of one shape another one, in one transaction, at each
// moment between the look-ups of the two: that they don't go together is so in no state, and not
// what is said.
func TestShapesOfTwoStates(t *testing.T) {
	t.Parallel()
	do := func(text string, o *tstore.EvalOptions) func(ctx context.Context, s *tstore.Store) error {
		return func(ctx context.Context, s *tstore.Store) error { return storetest.Discard(s.Eval(ctx, text, o)) }
	}
	for name, test := range map[string]func(ctx context.Context, s *tstore.Store) error{
		"expression": do("a - b", nil),
		"edges":      do("a - b", &tstore.EvalOptions{Edges: &view.PrintOptions{}}),
		"new tensor": do("c = a - b", nil),
		"element":    do("t[:1] += (a - b).sum()", nil),
		"program":    do("t[:1] += (a - b).sum(); c = t", nil),
		"target":     do("a[:] = b", nil),
		"definition": func(ctx context.Context, s *tstore.Store) error { return s.Define(ctx, "l", "a - b", nil) },
		"copy":       func(ctx context.Context, s *tstore.Store) error { return s.Copy(ctx, "c", "lazy", nil) },
		"reading": func(ctx context.Context, s *tstore.Store) error {
			r, err := s.Read(ctx, "lazy", nil)
			if err == nil {
				err = r.Close()
			}
			return err
		},
		"transaction": func(ctx context.Context, s *tstore.Store) error {
			err := s.Update(ctx, func(tx *tstore.Tx) error { return storetest.Discard(tx.Store().Eval(ctx, "c = a - b", nil)) })
			if errors.Is(err, tstore.ErrConflict) {
				err = nil // it is for the caller to repeat it
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := tstore.Init(t.Context(), t.TempDir(), &tstore.Options{Durability: tstore.DurabilityNone})
			storetest.Must(t, err)
			defer s.Close()
			storetest.Eval(t, s, "a = ones(3); b = ones(3); t = zeros(2)", nil)
			storetest.Define(t, s, "lazy", "a - b")
			storetest.Must(t, storetest.Second(s.CreateSnapshot(t.Context(), "monday", ""))) // keeps the files
			other := storetest.Impatient(t, s.Dir(), time.Millisecond)
			change := func() error { return storetest.Discard(other.Eval(t.Context(), "a = ones(2); b = ones(2)", nil)) }
			storetest.AtEachMoment(t, change, func(ctx context.Context, _ func() bool) {
				storetest.Must(t, storetest.Second(s.RestoreSnapshot(t.Context(), "monday")))
				storetest.Must(t, test(ctx, storetest.OpenStore(t, s.Dir())))
			})
		})
	}
}
