package crashtest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// TestFailAtEveryOperationWithSnapshots is TestFailAtEveryOperation for what snapshots do, and for
// changes of what they have.
func TestFailAtEveryOperationWithSnapshots(t *testing.T) {
	restores := func(names ...string) func(context.Context, *tstore.Store) error {
		return func(ctx context.Context, s *tstore.Store) error {
			_, err := s.RestoreSnapshot(ctx, "monday", names...)
			return err
		}
	}
	was, now := storetest.UpTo(6), []float64{0, 1, 9, 9, 4, 5}
	storetest.FailEverywhere(t, storetest.PrepareSnapshot, []storetest.Change{
		{Name: "create", Do: func(ctx context.Context, s *tstore.Store) error {
			_, err := s.CreateSnapshot(ctx, "tuesday", "")
			return err
		}, Before: now, After: now},
		{Name: "create and change", Do: func(ctx context.Context, s *tstore.Store) error {
			if _, err := s.CreateSnapshot(ctx, "tuesday", ""); err != nil && !errors.Is(err, tstore.ErrExists) {
				return err
			}
			return s.Fill(ctx, "x", dtype.ScalarOf(7.0))
		}, Before: now, After: []float64{7, 7, 7, 7, 7, 7}},
		{Name: "remove", Do: func(ctx context.Context, s *tstore.Store) error {
			_, err := s.RemoveSnapshot(ctx, "sunday")
			return err
		}, Before: now, After: now},
		{Name: "restore", Do: restores(), Before: now, After: was},
		{Name: "restore x", Do: restores("x"), Before: now, After: was},
		{Name: "restore shared", Do: restores("big"), Before: now, After: now},
	})
}
