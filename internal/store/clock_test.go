package store_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// inThePast runs test with a clock that stands decades before the real one.
func inThePast(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	now := time.Now()
	synctest.Test(t, func(t *testing.T) {
		if !time.Now().Before(now) {
			t.Fatalf("the clock stands at %v, not before %v", time.Now(), now)
		}
		test(t)
	})
}

// TestClockJumpsBack sets the clock back between changes: what came later is still what counts.
func TestClockJumpsBack(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 20_000))
	storetest.Create(t, s, "small", storetest.Source(t, 0, 5))
	storetest.Create(t, s, "gone", storetest.Source(t, 0, 20_000))
	storetest.Define(t, s, "lazy", "small * 2")
	if _, err := s.CreateSnapshot(t.Context(), "first", ""); err != nil {
		t.Fatal(err)
	}
	before, err := s.Stat(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	dir := s.Dir()
	inThePast(t, func(t *testing.T) {
		ctx := t.Context()
		s, err := tstore.Open(ctx, dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := errors.Join(
			s.Append(ctx, "x", storetest.Source(t, 20_000, 10)),
			s.Fill(ctx, "small[0]", storetest.Scalar(t, 9)),
			s.Fill(ctx, "x", storetest.Scalar(t, 9)),
			s.Replace(ctx, "gone", storetest.Source(t, 1, 20_000)),
			s.Delete(ctx, "gone"),
			storetest.Evaluates("made = x + 1; x[:10] = 1")(ctx, s),
		); err != nil {
			t.Error(err)
		}
		if _, err := s.CreateSnapshot(ctx, "second", ""); err != nil {
			t.Error(err)
		}
		if _, _, err := s.Compact(ctx); err != nil {
			t.Error(err)
		}
		after, err := s.Stat(ctx, "x")
		if err != nil || after.Version() <= before.Version() {
			t.Errorf("version %d of x follows %d, %v", after.Version(), before.Version(), err)
		}
		snapshots, err := s.Snapshots(ctx)
		var names []string
		for _, snap := range snapshots {
			names = append(names, snap.Name)
		}
		if err != nil || !slices.Equal(names, []string{"first", "second"}) {
			t.Errorf("snapshots are %v, %v", names, err)
		}
		if removed, err := s.GC(ctx, nil); err != nil || len(removed) > 0 {
			t.Errorf("gc removed %v, %v", removed, err)
		}
		storetest.WantSound(t, dir)
	})
	storetest.WantValues(t, s, "small", 9, 1, 2, 3, 4)
	storetest.WantValues(t, s, "x[8:12]", 1, 1, 9, 9)
	storetest.WantValues(t, s, "gone@first[:3]", 0, 1, 2)
	var changed []string
	for change, err := range s.DiffSnapshots(t.Context(), "first", "") {
		if err != nil {
			t.Fatal(err)
		}
		changed = append(changed, change.Name)
	}
	if !slices.Equal(changed, []string{"gone", "made", "small", "x"}) {
		t.Errorf("changed since the first snapshot: %v", changed)
	}
	if _, err := s.RestoreSnapshot(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "small", storetest.UpTo(5)...)
}
