package tstore_test

import (
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"
)

// TestSnapshotsBesideOthers makes, restores and removes snapshots in several goroutines at
// once: that others come and go meanwhile is no error of any.
func TestSnapshotsBesideOthers(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	var group errgroup.Group
	for w := range 4 {
		mine := fmt.Sprint("x", w)
		must(t, s.Create(ctx, mine, source(t, 100, 1)))
		group.Go(func() error {
			for i := range 10 {
				name := fmt.Sprintf("s%d-%d", w, i)
				if _, err := s.CreateSnapshot(ctx, name, ""); err != nil {
					return fmt.Errorf("create: %w", err)
				}
				if err := s.Replace(ctx, mine, source(t, 100, 2)); err != nil {
					return fmt.Errorf("replace: %w", err)
				}
				if _, err := s.RestoreSnapshot(ctx, name, mine); err != nil {
					return fmt.Errorf("restore: %w", err)
				}
				if err := s.Replace(ctx, mine, source(t, 100, 3)); err != nil {
					return fmt.Errorf("replace again: %w", err)
				}
				if _, err := s.RemoveSnapshot(ctx, name); err != nil {
					return fmt.Errorf("remove: %w", err)
				}
			}
			return nil
		})
	}
	must(t, group.Wait())

	// What was left in the haste is for gc.
	must(t, second(s.GC(ctx, nil)))
	if problems, err := s.Check(ctx); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}
