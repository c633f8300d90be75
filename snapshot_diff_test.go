package tstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
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
	s := newStore(t)
	must(t, s.Update(ctx, func(tx *tstore.Tx) error { // two tensors in one file
		return errors.Join(tx.Create("a", source(t, 0, 3)), tx.Create("a.b", source(t, 0, 3)))
	}))
	create(t, s, "g/x", source(t, 0, 3))
	create(t, s, "gone", source(t, 0, 3))
	must(t, s.PutBlob(ctx, "blob", catalog.IntValue(1)))
	define(t, s, "lazy", "a + 1")
	snapshot(t, s, "one")
	fill(t, s, "a[0]", 5)
	must(t, s.SetAttr(ctx, "g/x", "k", catalog.IntValue(1)))
	must(t, s.Delete(ctx, "gone"))
	must(t, s.PutBlob(ctx, "blob", catalog.IntValue(2)))
	must(t, s.Define(ctx, "lazy", "a + 2", &tstore.DefineOptions{Replace: true}))
	create(t, s, "new", source(t, 0, 3))
	snapshot(t, s, "two")
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
