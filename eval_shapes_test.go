package tstore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/view"
)

// TestDefinedWhileLookedUp makes a tensor a lazy name at each moment of an evaluation that reads
// it.
func TestDefinedWhileLookedUp(t *testing.T) {
	t.Parallel()
	s, err := tstore.Init(t.Context(), t.TempDir(), &tstore.Options{Durability: tstore.DurabilityNone})
	must(t, err)
	defer s.Close()
	other := impatient(t, s.Dir(), time.Millisecond)
	eval(t, s, "a = ones(3)", nil)
	must(t, second(s.CreateSnapshot(t.Context(), "monday", "")))
	define := func() error {
		return other.Update(t.Context(), func(tx *tstore.Tx) error {
			return errors.Join(tx.Delete("a"), tx.Store().Define(t.Context(), "a", "ones(2)", nil))
		})
	}
	atEachMoment(t, define, func(ctx context.Context, _ func() bool) {
		must(t, second(s.RestoreSnapshot(t.Context(), "monday")))
		must(t, discard(openStore(t, s.Dir()).Eval(ctx, "b = a + 1", nil)))
	})
}

// TestShapesOfTwoStates gives two tensors of one shape another one, in one transaction, at each
// moment between the look-ups of the two: that they don't go together is so in no state, and not
// what is said.
func TestShapesOfTwoStates(t *testing.T) {
	t.Parallel()
	do := func(text string, o *tstore.EvalOptions) func(ctx context.Context, s *tstore.Store) error {
		return func(ctx context.Context, s *tstore.Store) error { return discard(s.Eval(ctx, text, o)) }
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
			err := s.Update(ctx, func(tx *tstore.Tx) error { return discard(tx.Store().Eval(ctx, "c = a - b", nil)) })
			if errors.Is(err, tstore.ErrConflict) {
				err = nil // it is for the caller to repeat it
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := tstore.Init(t.Context(), t.TempDir(), &tstore.Options{Durability: tstore.DurabilityNone})
			must(t, err)
			defer s.Close()
			eval(t, s, "a = ones(3); b = ones(3); t = zeros(2)", nil)
			define(t, s, "lazy", "a - b")
			must(t, second(s.CreateSnapshot(t.Context(), "monday", ""))) // keeps the files
			other := impatient(t, s.Dir(), time.Millisecond)
			change := func() error { return discard(other.Eval(t.Context(), "a = ones(2); b = ones(2)", nil)) }
			atEachMoment(t, change, func(ctx context.Context, _ func() bool) {
				must(t, second(s.RestoreSnapshot(t.Context(), "monday")))
				must(t, test(ctx, openStore(t, s.Dir())))
			})
		})
	}
}
