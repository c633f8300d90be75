package snapshots_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

func diffNames(t testing.TB, s *tstore.Store, a, b string) []string {
	t.Helper()
	var names []string
	for d, err := range s.DiffSnapshots(t.Context(), a, b) {
		if err != nil {
			t.Fatal(err)
		}
		text := d.Name
		switch {
		case d.A == nil:
			text = "+" + text
		case d.B == nil:
			text = "-" + text
		}
		names = append(names, strings.Join(append([]string{text}, d.What...), " "))
	}
	return names
}

func TestDiffSnapshots(t *testing.T) {
	ctx := t.Context()
	s := storetest.NewStore(t)
	storetest.Must(t, s.Update(ctx, func(tx *tstore.Tx) error { // two tensors in one file
		return errors.Join(tx.Create("a", storetest.Source(t, 0, 3)), tx.Create("a.b", storetest.Source(t, 0, 3)))
	}))
	storetest.Create(t, s, "g/x", storetest.Source(t, 0, 3))
	storetest.Create(t, s, "gone", storetest.Source(t, 0, 3))
	storetest.Must(t, s.PutBlob(ctx, "blob", catalog.IntValue(1)))
	storetest.Define(t, s, "lazy", "a + 1")
	storetest.Snapshot(t, s, "one")
	fill(t, s, "a[0]", 5)
	storetest.Must(t, s.SetAttr(ctx, "g/x", "k", catalog.IntValue(1)))
	storetest.Must(t, s.Delete(ctx, "gone"))
	storetest.Must(t, s.PutBlob(ctx, "blob", catalog.IntValue(2)))
	storetest.Must(t, s.Define(ctx, "lazy", "a + 2", &tstore.DefineOptions{Replace: true}))
	storetest.Create(t, s, "new", storetest.Source(t, 0, 3))
	storetest.Snapshot(t, s, "two")
	want := []string{"a elements", "blob value", "g/x attributes", "-gone", "lazy formula", "+new"}
	for _, b := range []string{"two", ""} {
		if diff := cmp.Diff(want, diffNames(t, s, "one", b)); diff != "" {
			t.Errorf("one and %q (-want +got): %s", b, diff)
		}
	}
	if got := diffNames(t, s, "two", "two"); len(got) > 0 {
		t.Errorf("two and itself: %v", got)
	}
	for _, err := range s.DiffSnapshots(ctx, "one", "three") {
		if !errors.Is(err, tstore.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	}
}
