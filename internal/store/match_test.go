package store_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// TestListMatching lists what patterns match, in the order of names.
func TestListMatching(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Must(t, s.Update(ctx, func(tx *tstore.Tx) error {
		for _, name := range []string{"a", "ab", "ä", "g/a", "g/a.b", "g/h/a", "g/h/b", "g2/a"} {
			if err := tx.PutBlob(name, catalog.IntValue(1)); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err := s.CreateSnapshot(ctx, "before", "")
	storetest.Must(t, err)
	storetest.Must(t, s.Delete(ctx, "g/a.b"))

	for name, tt := range map[string]struct {
		o    tstore.ListOptions
		want []string
	}{
		"a star ends at a slash":   {tstore.ListOptions{Match: "g*"}, []string{"g/", "g2/"}},
		"contents of groups":       {tstore.ListOptions{Match: "g*", Recursive: true}, []string{"g/a", "g/h/a", "g/h/b", "g2/a"}},
		"one character":            {tstore.ListOptions{Match: "?"}, []string{"a", "g/", "ä"}},
		"nothing in place of star": {tstore.ListOptions{Match: "a*"}, []string{"a", "ab"}},
		"groups by a pattern":      {tstore.ListOptions{Match: "*/a"}, []string{"g/a", "g2/a"}},
		"a part without wildcards": {tstore.ListOptions{Match: "g/h/*"}, []string{"g/h/a", "g/h/b"}},
		"no wildcard at all":       {tstore.ListOptions{Match: "g/h"}, []string{"g/h/"}},
		"in a group":               {tstore.ListOptions{Group: "g", Match: "*/a"}, []string{"g/h/a"}},
		"behind a name":            {tstore.ListOptions{Match: "*", After: "ab"}, []string{"g/", "g2/", "ä"}},
		"contents behind a name":   {tstore.ListOptions{Match: "*", Recursive: true, After: "g/h/a"}, []string{"g/h/b", "g2/a", "ä"}},
		"a snapshot":               {tstore.ListOptions{Match: "g/a*", Snapshot: "before"}, []string{"g/a", "g/a.b"}},
		"nothing":                  {tstore.ListOptions{Match: "x*"}, nil},
		"a tensor is no group":     {tstore.ListOptions{Match: "a/*"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for item, err := range s.List(ctx, &tt.o) {
				storetest.Must(t, err)
				if item.IsGroup {
					item.Name += "/"
				}
				got = append(got, item.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
		})
	}

	for _, bad := range []string{"a[b]*", "/*", "*/", "*//a", "../*", "*@x", "**\n"} {
		n := 0
		for _, err := range s.List(ctx, &tstore.ListOptions{Match: bad}) {
			if n++; !errors.Is(err, catalog.ErrBadName) {
				t.Errorf("%q: got %v, want ErrBadName", bad, err)
			}
		}
		if n != 1 {
			t.Errorf("%q: %d items, want one error", bad, n)
		}
	}
}
