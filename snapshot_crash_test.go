package tstore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
)

// prepareSnapshot makes a store that has changed since the snapshot "monday", and before it another
// one was made.
func prepareSnapshot(t testing.TB, dir string) {
	t.Helper()
	ctx := t.Context()
	prepare(t, dir)
	s, err := tstore.Open(ctx, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	snapshot(t, s, "sunday")
	err = errors.Join(
		s.View(ctx, "shared", "big[:2]"),
		s.Create(ctx, "gone", source(t, 5, 3)))
	snapshot(t, s, "monday")
	err = errors.Join(err,
		s.Fill(ctx, "x[1]", dtype.ScalarOf(9.0)),
		s.Fill(ctx, "big[0]", dtype.ScalarOf(9.0)),
		s.Append(ctx, "big", source(t, 0, 1, 2)),
		s.Create(ctx, "held", source(t, 0, 3)),
		s.Delete(ctx, "gone"))
	if err != nil {
		t.Fatal(err)
	}
}

// TestFailAtEveryOperationWithSnapshots is TestFailAtEveryOperation for what snapshots do, and for
// changes of what they have.
func TestFailAtEveryOperationWithSnapshots(t *testing.T) {
	restores := func(names ...string) func(context.Context, *tstore.Store) error {
		return func(ctx context.Context, s *tstore.Store) error {
			_, err := s.RestoreSnapshot(ctx, "monday", names...)
			return err
		}
	}
	was, now := upTo(6), []float64{0, 1, 9, 9, 4, 5}
	failEverywhere(t, prepareSnapshot, []change{
		{"create", func(ctx context.Context, s *tstore.Store) error {
			_, err := s.CreateSnapshot(ctx, "tuesday", "")
			return err
		}, now, now},
		{"create and change", func(ctx context.Context, s *tstore.Store) error {
			if _, err := s.CreateSnapshot(ctx, "tuesday", ""); err != nil && !errors.Is(err, tstore.ErrExists) {
				return err
			}
			return s.Fill(ctx, "x", dtype.ScalarOf(7.0))
		}, now, []float64{7, 7, 7, 7, 7, 7}},
		{"remove", func(ctx context.Context, s *tstore.Store) error {
			_, err := s.RemoveSnapshot(ctx, "sunday")
			return err
		}, now, now},
		{"restore", restores(), now, was},
		{"restore x", restores("x"), now, was},
		{"restore shared", restores("big"), now, now},
	})
}

// wantMonday reads what prepareSnapshot has put into the snapshots.
func wantMonday(t testing.TB, s *tstore.Store) {
	t.Helper()
	snaps, err := s.Snapshots(t.Context())
	if err != nil {
		t.Error(err)
	}
	for _, snap := range snaps {
		switch snap.Name {
		case "monday":
			wantValues(t, s, "x@monday", upTo(6)...)
			wantValues(t, s, "big@monday[:2]", upTo(4)...)
			wantValues(t, s, "gone@monday", 5, 6, 7)
		case "sunday":
			wantValues(t, s, "x@sunday", upTo(6)...)
			wantValues(t, s, "untouched@sunday", upTo(3)...)
		}
	}
}
