package storetest

import (
	"context"
	"testing"

	"github.com/tstore/tstore"
)

// Evaluates is a change that runs statements.
func Evaluates(text string) func(context.Context, *tstore.Store) error {
	return func(ctx context.Context, s *tstore.Store) error {
		r, err := s.Eval(ctx, text, nil)
		if err != nil {
			return err
		}
		return r.Close()
	}
}

// Eval runs statements and closes the result.
func Eval(t testing.TB, s *tstore.Store, text string, o *tstore.EvalOptions) {
	t.Helper()
	r, err := s.Eval(t.Context(), text, o)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// Discard closes a result.
func Discard(r *tstore.EvalResult, err error) error {
	if err != nil {
		return err
	}
	return r.Close()
}

// EvaluatesInPlace is a change that runs statements in place.
func EvaluatesInPlace(text string) func(context.Context, *tstore.Store) error {
	return func(ctx context.Context, s *tstore.Store) error {
		r, err := s.Eval(ctx, text, &tstore.EvalOptions{InPlace: true})
		if err != nil {
			return err
		}
		return r.Close()
	}
}

// EvalIn runs statements as part of a transaction.
func EvalIn(ctx context.Context, tx *tstore.Tx, text string) error {
	return Discard(tx.Store().Eval(ctx, text, nil))
}
