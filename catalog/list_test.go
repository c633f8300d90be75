package catalog_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tstore/tstore/catalog"
)

func listNames(t *testing.T, c *catalog.Catalog, group, after string, recursive bool, limit int) (names []string) {
	t.Helper()
	view(t, c, func(tx *catalog.Tx) error {
		items, err := tx.List(group, after, recursive, limit)
		for _, i := range items {
			name := i.Name
			if i.IsGroup {
				name += "/"
			} else if i.Record.Name != i.Name {
				t.Errorf("item %q with record %q", i.Name, i.Record.Name)
			}
			names = append(names, name)
		}
		return err
	})
	return names
}

func TestList(t *testing.T) {
	c := create(t, nil)
	addTensors(t, c, "a", "g!x", "g/1", "g/2/deep", "g/2/deeper", "g/3", "g.x", "z")
	for name, tc := range map[string]struct {
		group, after string
		recursive    bool
		limit        int
		want         []string
	}{
		"root":              {"", "", false, 0, []string{"a", "g/", "g!x", "g.x", "z"}},
		"page":              {"", "", false, 2, []string{"a", "g/"}},
		"after a group":     {"", "g", false, 2, []string{"g!x", "g.x"}},
		"after what is not": {"", "b", false, 1, []string{"g/"}},
		"group":             {"g", "", false, 0, []string{"g/1", "g/2/", "g/3"}},
		"group after":       {"g", "g/2", false, 0, []string{"g/3"}},
		"recursive":         {"", "", true, 0, []string{"a", "g/1", "g/2/deep", "g/2/deeper", "g/3", "g!x", "g.x", "z"}},
		"recursive after":   {"g", "g/2/deep", true, 1, []string{"g/2/deeper"}},
		"recursive in":      {"g/2", "", true, 0, []string{"g/2/deep", "g/2/deeper"}},
		"no group":          {"none", "", false, 0, nil},
		"a value":           {"a", "", false, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			mustEqual(t, "names", listNames(t, c, tc.group, tc.after, tc.recursive, tc.limit), tc.want)
		})
	}
	view(t, c, func(tx *catalog.Tx) error {
		if _, err := tx.List("g", "z", false, 0); !errors.Is(err, catalog.ErrInvalid) {
			t.Errorf("list after a name outside: %v", err)
		}
		if _, err := tx.List("g/", "", false, 0); !errors.Is(err, catalog.ErrBadName) {
			t.Errorf("list of a bad name: %v", err)
		}
		return nil
	})
}

func TestRename(t *testing.T) {
	c := create(t, nil)
	s := addTensors(t, c, "g/a", "g/h/b", "v", "w/x")
	for _, tc := range []struct {
		from, to string
		want     error
	}{
		{"v", "w/x", catalog.ErrExists},
		{"v", "w", catalog.ErrConflict},
		{"v", "g/a/c", catalog.ErrConflict},
		{"v", "v/x", catalog.ErrConflict},
		{"g", "g/sub", catalog.ErrConflict},
		{"g", "w", catalog.ErrConflict},
		{"none", "n", catalog.ErrNotFound},
		{"v", "../v", catalog.ErrBadName},
		{"v", "v", nil},
		{"g", "new/place", nil},
		{"v", "new/v", nil},
	} {
		err := c.Update(t.Context(), func(tx *catalog.Tx) error { return tx.Rename(tc.from, tc.to) })
		if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
			t.Errorf("rename %q to %q: %v, want %v", tc.from, tc.to, err, tc.want)
		}
	}
	view(t, c, func(tx *catalog.Tx) error {
		names, err := tx.Sharers(s.ID, 0)
		mustEqual(t, "sharers", names, []string{"new/place/a", "new/place/h/b", "new/v", "w/x"})
		some, _ := tx.Sharers(s.ID, 2)
		mustEqual(t, "two sharers", some, []string{"new/place/a", "new/place/h/b"})
		return err
	})
}

// TestLargeTransaction puts, renames and deletes more than one chunk of changes at once.
func TestLargeTransaction(t *testing.T) {
	const n = 3000
	c := create(t, &catalog.Options{NoSync: true})
	s := storage()
	update(t, c, func(tx *catalog.Tx) error {
		if err := tx.PutStorage(s); err != nil {
			return err
		}
		for i := range n {
			if err := tx.Put(tensor(fmt.Sprintf("g/%d", i*7919%n), s.ID)); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, c, func(tx *catalog.Tx) error { return tx.Rename("g", "a/h") })
	update(t, c, func(tx *catalog.Tx) error {
		for i := range n - 1 {
			if err := tx.Delete(fmt.Sprintf("a/h/%d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	mustEqual(t, "what is left", listNames(t, c, "", "", true, 0), []string{fmt.Sprintf("a/h/%d", n-1)})
	update(t, c, func(tx *catalog.Tx) error { return tx.Delete(fmt.Sprintf("a/h/%d", n-1)) })
}
