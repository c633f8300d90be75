package tstore_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tstore/tstore"
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
		"unseal many blocks": {backupRows, true, func(ctx context.Context, s *tstore.Store) error { return s.Unseal(ctx, "x") }, []string{"seal"}},
		"seal":               {2, false, func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "x", nil) }, []string{"seal"}},
		"unseal and append": {2, true, func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Unseal(ctx, "x"), appended(ctx, s, 3))
		}, []string{"shape", "elements", "seal"}},
		"unseal and change": {2, true, func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Unseal(ctx, "x"), s.Fill(ctx, "x[0]", scalar(t, 9)))
		}, []string{"elements", "seal"}},
		"append": {2, true, func(ctx context.Context, s *tstore.Store) error { return appended(ctx, s, 3) }, []string{"shape", "elements"}},
		"seal and append": {2, false, func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Seal(ctx, "x", nil), appended(ctx, s, 3))
		}, []string{"shape", "elements", "seal"}},
		"nothing": {2, true, func(context.Context, *tstore.Store) error { return nil }, nil},
	} {
		for _, names := range [][]string{nil, {"x"}} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := again{rows: test.rows, sealed: test.sealed}.start(t)
				was := values(t, s, "x")
				must(t, test.change(t.Context(), s))
				if got := whatDiffers(t, s); !slices.Equal(got, test.diff) {
					t.Errorf("changed: %v, want %v", got, test.diff)
				}
				plan, err := s.PlanRestore(t.Context(), "a", names...)
				if err != nil || (len(plan.Changed) > 0) != (test.diff != nil) {
					t.Errorf("plan: %+v, %v", plan, err)
				}
				restore(t, s, "a", names...)
				wantSealed(t, s, "x", test.sealed)
				if got := whatDiffers(t, s); len(got) > 0 {
					t.Errorf("restored, and yet different: %v", got)
				}
				if !slices.Equal(values(t, s, "x"), was) {
					t.Error("other elements")
				}
				r, err := s.Verify(t.Context(), nil)
				if err != nil || len(r.Damage) > 0 {
					t.Errorf("verify: %+v, %v", r, err)
				}
				must(t, appended(t.Context(), s, 7))
				wantValues(t, s, "x[-3:]", was[len(was)-1], 7, 7)
				wantValues(t, s, "x@a[-1:]", was[len(was)-1])
				wantSealed(t, s, "x", test.sealed)
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
	s := again{rows: 4}.start(t)
	must(t, s.View(t.Context(), "v", "x[:2]"))
	must(t, s.Seal(t.Context(), "v", nil))
	restore(t, s, "a", "x")
	wantSealed(t, s, "v", true)
	restore(t, s, "a")
	wantSealed(t, s, "x", false)
}
