package overlay_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/catalog/internal/overlay"
)

// TestChanges compares the changes with a sorted list.
func TestChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var o overlay.Changes
	want := map[string]bool{}
	key := func() []byte { return []byte{byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(2))}[:1+r.IntN(3)] }
	for range 20_000 {
		k := key()
		want[string(k)] = true
		o.Set(k, k)
	}
	sorted := make([]string, 0, len(want))
	for k := range want {
		sorted = append(sorted, k)
	}
	slices.Sort(sorted)
	var got []string
	for c := range o.All() {
		got = append(got, c.Key)
	}
	if diff := cmp.Diff(sorted, got); diff != "" || o.Len() != len(sorted) {
		t.Fatalf("%d changes, %d expected: %s", o.Len(), len(sorted), diff)
	}
	text := func(c *overlay.Change) string {
		if c == nil {
			return "end"
		}
		return c.Key
	}
	sorted = append(sorted, "end")
	for range 5000 {
		k := key()
		at, found := slices.BinarySearch(sorted[:len(sorted)-1], string(k))
		next := at
		if found {
			next++
		}
		if text(o.Seek(k)) != sorted[at] || text(o.After(k)) != sorted[next] || (o.Get(k) != nil) != found {
			t.Fatalf("%q: seek %q, after %q, found %t", k, text(o.Seek(k)), text(o.After(k)), o.Get(k) != nil)
		}
	}
}
