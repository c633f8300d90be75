package snapshots_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// TestRestoreSeals changes whether tensors are sealed after a snapshot, and restores it: they are
// as they were, with the same elements, and diffs say what was otherwise.
func TestRestoreSeals(t *testing.T) {
	for name, test := range map[string]struct {
		rows   int
		sealed bool
		change func(ctx context.Context, s *tstore.Store) error
		diff   []string // of the snapshot and what the change has made
	}{
		"unseal":             {2, true, func(ctx context.Context, s *tstore.Store) error { return s.Unseal(ctx, "x") }, []string{"seal"}},
		"unseal many blocks": {storetest.BackupRows, true, func(ctx context.Context, s *tstore.Store) error { return s.Unseal(ctx, "x") }, []string{"seal"}},
		"seal":               {2, false, func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "x", nil) }, []string{"seal"}},
		"unseal and append": {2, true, func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Unseal(ctx, "x"), storetest.Appended(ctx, s, 3))
		}, []string{"shape", "elements", "seal"}},
		"unseal and change": {2, true, func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Unseal(ctx, "x"), s.Fill(ctx, "x[0]", storetest.Scalar(t, 9)))
		}, []string{"elements", "seal"}},
		"append": {2, true, func(ctx context.Context, s *tstore.Store) error { return storetest.Appended(ctx, s, 3) }, []string{"shape", "elements"}},
		"seal and append": {2, false, func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Seal(ctx, "x", nil), storetest.Appended(ctx, s, 3))
		}, []string{"shape", "elements", "seal"}},
		"nothing": {2, true, func(context.Context, *tstore.Store) error { return nil }, nil},
	} {
		for _, names := range [][]string{nil, {"x"}} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := storetest.Again{Rows: test.rows, Sealed: test.sealed}.Start(t)
				was := storetest.Values(t, s, "x")
				storetest.Must(t, test.change(t.Context(), s))
				if got := whatDiffers(t, s); !slices.Equal(got, test.diff) {
					t.Errorf("changed: %v, want %v", got, test.diff)
				}
				plan, err := s.PlanRestore(t.Context(), "a", names...)
				if err != nil || (len(plan.Changed) > 0) != (test.diff != nil) {
					t.Errorf("plan: %+v, %v", plan, err)
				}
				storetest.Restore(t, s, "a", names...)
				storetest.WantSealed(t, s, "x", test.sealed)
				if got := whatDiffers(t, s); len(got) > 0 {
					t.Errorf("restored, and yet different: %v", got)
				}
				if !slices.Equal(storetest.Values(t, s, "x"), was) {
					t.Error("other elements")
				}
				r, err := s.Verify(t.Context(), nil)
				if err != nil || len(r.Damage) > 0 {
					t.Errorf("verify: %+v, %v", r, err)
				}
				storetest.Must(t, storetest.Appended(t.Context(), s, 7))
				storetest.WantValues(t, s, "x[-3:]", was[len(was)-1], 7, 7)
				storetest.WantValues(t, s, "x@a[-1:]", was[len(was)-1])
				storetest.WantSealed(t, s, "x", test.sealed)
			})
		}
	}
}

// whatDiffers is what of x is different in snapshot a.
func whatDiffers(t *testing.T, s *tstore.Store) (what []string) {
	t.Helper()
	for change, err := range s.DiffSnapshots(t.Context(), "a", "") {
		if err != nil {
			t.Fatal(err)
		}
		what = append(what, change.What...)
	}
	return what
}

// TestRestoreSealsOfOthers restores a name whose storage others share: they stay sealed.
func TestRestoreSealsOfOthers(t *testing.T) {
	s := storetest.Again{Rows: 4}.Start(t)
	storetest.Must(t, s.View(t.Context(), "v", "x[:2]"))
	storetest.Must(t, s.Seal(t.Context(), "v", nil))
	storetest.Restore(t, s, "a", "x")
	storetest.WantSealed(t, s, "v", true)
	storetest.Restore(t, s, "a")
	storetest.WantSealed(t, s, "x", false)
}
