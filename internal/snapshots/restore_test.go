package snapshots_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

func TestRestoreNames(t *testing.T) {
	ctx := t.Context()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "g/x", storetest.Source(t, 0, storetest.Wide))
	storetest.Must(t, s.View(ctx, "g/v", "g/x[:3]"))
	storetest.Must(t, s.View(ctx, "shared", "g/x[1:3]"))
	storetest.Create(t, s, "other", storetest.Source(t, 0, 2))
	storetest.Create(t, s, "gone", storetest.Source(t, 5, 2))
	storetest.Snapshot(t, s, "monday")
	fill(t, s, "g/x[:2]", 9)
	fill(t, s, "other", 9)
	storetest.Must(t, s.Delete(ctx, "gone"))
	storetest.Create(t, s, "new", storetest.Source(t, 0, 2))
	before, err := s.Stat(ctx, "g/x")
	if err != nil {
		t.Fatal(err)
	}

	// "shared" keeps what it has now, so the elements of the group are copied.
	if done := storetest.Restore(t, s, "monday", "g"); done != (tstore.Restored{Changed: 2, Copied: 8 * storetest.Wide}) {
		t.Errorf("restored %+v", done)
	}
	storetest.WantValues(t, s, "g/x[:3]", 0, 1, 2)
	storetest.WantValues(t, s, "g/v", 0, 1, 2)
	storetest.WantValues(t, s, "shared", 9, 2)
	storetest.WantValues(t, s, "other", 9, 9)
	storetest.WantValues(t, s, "new", 0, 1)
	fill(t, s, "g/v[0]", 4)
	storetest.WantValues(t, s, "g/x[:3]", 4, 1, 2)
	after, err := s.Stat(ctx, "g/x")
	if err != nil || after.Version() <= before.Version() {
		t.Errorf("version %d became %d, %v", before.Version(), after.Version(), err)
	}

	if done := storetest.Restore(t, s, "monday", "gone", "gone"); done != (tstore.Restored{Changed: 1}) {
		t.Errorf("restored %+v", done)
	}
	storetest.WantValues(t, s, "gone", 5, 6)
	done := storetest.Restore(t, s, "monday")
	if done.Deleted != 1 || done.Copied != 0 {
		t.Errorf("restored %+v", done)
	}
	storetest.WantValues(t, s, "shared", 1, 2)
	storetest.WantValues(t, s, "other", 0, 1)
	if done := storetest.Restore(t, s, "monday"); done != (tstore.Restored{}) {
		t.Errorf("restored once more: %+v", done)
	}
	storetest.Collect(t, s)
	storetest.WantValues(t, s, "g/x@monday[:3]", 0, 1, 2)
	if names := diffNames(t, s, "monday", ""); len(names) > 0 {
		t.Errorf("different: %v", names)
	}
}

// TestRestoreAnotherBranch goes back and forth between two snapshots, and writes in between: files
// with the same elements in them are never mixed up. TestRestoreNamesThatWereSwapped restores names
// that stand for the elements of others by now: no storage goes with a name that another one is to
// have.
func TestRestoreNamesThatWereSwapped(t *testing.T) {
	t.Parallel()
	rename := func(t *testing.T, s *tstore.Store, names ...string) {
		for i := range len(names) - 1 {
			storetest.Must(t, s.Rename(t.Context(), names[i], names[i+1]))
		}
	}
	for name, change := range map[string]func(t *testing.T, s *tstore.Store){
		"swapped": func(t *testing.T, s *tstore.Store) {
			rename(t, s, "a", "free")
			rename(t, s, "b", "a")
			rename(t, s, "free", "b")
		},
		"in a circle, and changed": func(t *testing.T, s *tstore.Store) {
			rename(t, s, "a", "free")
			rename(t, s, "b", "a")
			rename(t, s, "c", "b")
			rename(t, s, "free", "c")
			fill(t, s, "a", 7)
			storetest.Must(t, s.Append(t.Context(), "b", storetest.Source(t, 1, 10)))
		},
		"over one that is gone": func(t *testing.T, s *tstore.Store) {
			storetest.Must(t, s.Delete(t.Context(), "a"))
			rename(t, s, "b", "a")
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, names := range [][]string{nil, {"a", "b", "c"}, {"c", "b", "a"}} {
				s := storetest.NewStore(t)
				for i, name := range []string{"a", "b", "c"} {
					storetest.Create(t, s, name, storetest.Source(t, float64(i), storetest.Wide+i))
				}
				storetest.Must(t, s.Seal(t.Context(), "c", nil))
				storetest.Snapshot(t, s, "monday")
				want := storetest.Contents(t, s)
				change(t, s)
				storetest.Restore(t, s, "monday", names...)
				if diff := cmp.Diff(want, storetest.Contents(t, s)); diff != "" {
					t.Errorf("%v (-want +got):\n%s", names, diff)
				}
				storetest.Collect(t, s)
				if r, err := s.Verify(t.Context(), nil); err != nil || len(r.Damage) > 0 {
					t.Errorf("verify: %+v, %v", r, err)
				}
			}
		})
	}
}

func TestRestoreAnotherBranch(t *testing.T) {
	ctx := t.Context()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, storetest.Wide))
	storetest.Snapshot(t, s, "a")
	storetest.Must(t, s.Append(ctx, "x", storetest.Source(t, 100, 2)))
	storetest.Snapshot(t, s, "b")
	fill(t, s, "x[0]", 7)
	storetest.Snapshot(t, s, "c")
	want := func() {
		t.Helper()
		storetest.WantValues(t, s, "x@a[-1]", storetest.Wide-1)
		storetest.WantValues(t, s, "x@b[-3:]", storetest.Wide-1, 100, 101)
		storetest.WantValues(t, s, "x@b[0]", 0)
		storetest.WantValues(t, s, "x@c[0]", 7)
		storetest.WantValues(t, s, "x@c[-1]", 101)
	}
	for i, name := range []string{"a", "c", "b", "a", "b"} {
		storetest.Restore(t, s, name)
		storetest.Must(t, s.Append(ctx, "x", storetest.Source(t, float64(1000+i), 1)))
		want()
		fill(t, s, "x[1]", float64(i))
		storetest.Must(t, s.Append(ctx, "x", storetest.Source(t, float64(2000+i), 1)))
		want()
		storetest.WantValues(t, s, "x[-2:]", float64(1000+i), float64(2000+i))
		if i == 2 {
			storetest.Must(t, s.Delete(ctx, "x"))
			want()
		}
		storetest.Collect(t, s)
		storetest.WantSound(t, s.Dir())
	}
	if diff := cmp.Diff([]string{"x shape elements"}, diffNames(t, s, "a", "b")); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"b", "a", "c"} {
		if _, err := s.RemoveSnapshot(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if n := storetest.StorageFiles(t, s.Dir()); n != 1 {
		t.Errorf("%d files are left for one storage", n)
	}
}

// TestPlanRestore tells what restoring does, and does nothing.
func TestPlanRestore(t *testing.T) {
	ctx := t.Context()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "g/x", storetest.Source(t, 0, storetest.Wide))
	storetest.Must(t, s.View(ctx, "shared", "g/x[1:3]"))
	storetest.Create(t, s, "gone", storetest.Source(t, 5, 2))
	storetest.Create(t, s, "same", storetest.Source(t, 5, 2))
	storetest.Snapshot(t, s, "monday")
	fill(t, s, "g/x[:2]", 9)
	storetest.Must(t, s.Delete(ctx, "gone"))
	storetest.Create(t, s, "new", storetest.Source(t, 0, 2))
	before, err := s.Summary(ctx)
	storetest.Must(t, err)
	reader, err := tstore.Open(ctx, s.Dir(), &tstore.Options{ReadOnly: true})
	storetest.Must(t, err)
	defer reader.Close()
	for _, tc := range []struct {
		names []string
		want  tstore.RestorePlan
	}{
		{nil, tstore.RestorePlan{Created: []string{"gone"}, Changed: []string{"g/x", "shared"}, Deleted: []string{"new"}}},
		{[]string{"g"}, tstore.RestorePlan{Changed: []string{"g/x"}, Copied: 8 * storetest.Wide}},
		{[]string{"g/x", "shared"}, tstore.RestorePlan{Changed: []string{"g/x", "shared"}}},
		{[]string{"gone", "same"}, tstore.RestorePlan{Created: []string{"gone"}}},
	} {
		plan, err := reader.PlanRestore(ctx, "monday", tc.names...)
		if diff := cmp.Diff(tc.want, plan); diff != "" || err != nil {
			t.Errorf("%q: %v (-want +got): %s", tc.names, err, diff)
		}
	}
	if _, err := reader.PlanRestore(ctx, "monday", "nosuch"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("a name that is not there: %v", err)
	}
	after, err := s.Summary(ctx)
	if diff := cmp.Diff(before, after); diff != "" || err != nil {
		t.Errorf("it changed the store: %v (-before +after): %s", err, diff)
	}
	storetest.WantValues(t, s, "g/x[:3]", 9, 9, 2)
}

// TestRestoreKeepsSeals restores part of what shares a sealed storage: what is copied for it is
// sealed as before, unless the elements are damaged.
func TestRestoreKeepsSeals(t *testing.T) {
	for name, n := range map[string]int{"inline": 3 * storetest.SumBlock / 8, "file": 66*storetest.SumBlock/8 + 100} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			s := storetest.NewDamagedStore(t)
			storetest.ImportAs(t, s, "x", n)
			storetest.Must(t, s.View(ctx, "v", "x[:3]"))
			held := storetest.DataPath(t, s, "x")
			storetest.Snapshot(t, s, "monday")
			storetest.Must(t, s.Unseal(ctx, "x"))
			fill(t, s, "x[1]", 9)

			storetest.Must(t, storetest.FlipByte(held, storetest.FileHeader+storetest.SumBlock+5))
			var where *tstore.ChecksumError
			if _, err := s.RestoreSnapshot(ctx, "monday", "x"); !errors.As(err, &where) || where.Path != held || where.Offset != storetest.FileHeader+storetest.SumBlock || !slices.Equal(where.Names, []string{"x"}) {
				t.Errorf("restoring damaged elements: %v", err)
			}
			storetest.WantValues(t, s, "x[:3]", 0, 9, 2)
			storetest.Must(t, storetest.FlipByte(held, storetest.FileHeader+storetest.SumBlock+5))

			if done := storetest.Restore(t, s, "monday", "x"); done.Copied != int64(8*n) {
				t.Errorf("restored %+v", done)
			}
			storetest.WantValues(t, s, "x[:3]", 0, 1, 2)
			storetest.WantValues(t, s, "v", 0, 9, 2)
			storetest.WantSealed(t, s, "x", true)
			storetest.WantSealed(t, s, "v", false)
			storetest.WantSound(t, s.Dir())
			storetest.Must(t, storetest.FlipByte(storetest.DataPath(t, s, "x"), storetest.FileHeader+storetest.SumBlock+5))
			r, err := s.Verify(ctx, &tstore.VerifyOptions{Selectors: []string{"x"}})
			if err != nil || len(r.Damage) != 1 {
				t.Errorf("damage of the copy: %+v, %v", r, err)
			}
		})
	}
}
