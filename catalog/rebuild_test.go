package catalog_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/catalog"
)

// TestRebuild replaces catalogs in every state, and keeps what was there.
func TestRebuild(t *testing.T) {
	for name, before := range map[string]func(t *testing.T, path string){
		"sound":   func(t *testing.T, path string) {},
		"missing": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"empty":   func(t *testing.T, path string) { must(t, os.WriteFile(path, nil, 0o644)) },
		"garbage": func(t *testing.T, path string) {
			must(t, os.WriteFile(path, bytes.Repeat([]byte("garbage "), 4000), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, dir := createIn(t, t.TempDir(), nil)
			addTensors(t, c, "old")
			lookup(t, c, "old")
			path := filepath.Join(dir, "catalog.db")
			before(t, path)
			was, _ := os.ReadFile(path)
			id := catalog.NewID()
			s := storage()
			err := catalog.Rebuild(t.Context(), dir, id, nil, func(tx *catalog.Tx) error {
				return errors.Join(tx.PutStorage(s), tx.Put(tensor("new", s.ID)))
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := lookup(t, c, "new"); got.Storage.ID != s.ID || got.Storage.Refs != 1 {
				t.Errorf("entry %+v", got)
			}
			if _, err := c.Lookup(t.Context(), "old"); !errors.Is(err, catalog.ErrNotFound) {
				t.Errorf("the old record: %v", err)
			}
			if got := open(t, dir, nil).StoreID(); got != id {
				t.Errorf("store id %v, want %v", got, id)
			}
			mustKeep(t, dir, was, name != "missing")
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mustKeep checks that the folder holds a copy of the former catalog, if there was one, and no
// temporary file.
func mustKeep(t *testing.T, dir string, was []byte, kept bool) {
	t.Helper()
	copies, err := filepath.Glob(filepath.Join(dir, "catalog.db.*"))
	must(t, err)
	if !kept {
		mustEqual(t, "copies", len(copies), 0)
		return
	}
	if len(copies) != 1 || filepath.Ext(copies[0]) != ".bad" {
		t.Fatalf("copies: %v", copies)
	}
	got, err := os.ReadFile(copies[0])
	must(t, err)
	if !bytes.Equal(got, was) {
		t.Errorf("the copy has %d bytes, and is not the former catalog of %d bytes", len(got), len(was))
	}
}

func TestRebuildFails(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	addTensors(t, c, "a")
	err := catalog.Rebuild(t.Context(), dir, catalog.ID{}, nil, func(tx *catalog.Tx) error {
		return errors.Join(tx.Put(blob("b", "")), errStop)
	})
	if !errors.Is(err, errStop) {
		t.Errorf("got %v", err)
	}
	lookup(t, c, "a")
	mustKeep(t, dir, nil, false)
	err = catalog.Rebuild(t.Context(), filepath.Join(dir, "none"), catalog.ID{}, nil, func(*catalog.Tx) error { return nil })
	if !errors.Is(err, catalog.ErrNotCatalog) {
		t.Errorf("rebuild in no folder: %v", err)
	}
}

// TestRebuildMany puts more than is held in memory.
func TestRebuildMany(t *testing.T) {
	const n = 21_000
	c, dir := createIn(t, t.TempDir(), nil)
	s := storage()
	err := catalog.Rebuild(t.Context(), dir, catalog.ID{}, nil, func(tx *catalog.Tx) error {
		if err := tx.PutStorage(s); err != nil {
			return err
		}
		for i := range n {
			if err := tx.Put(tensor(fmt.Sprintf("g/%05d", i), s.ID)); err != nil {
				return err
			}
			if _, err := tx.Get(fmt.Sprintf("g/%05d", i/2)); err != nil {
				return err
			}
		}
		return nil
	})
	must(t, err)
	e := lookup(t, c, fmt.Sprintf("g/%05d", n-1))
	if e.Storage.Refs != n {
		t.Errorf("%d references, want %d", e.Storage.Refs, n)
	}
	err = catalog.Rebuild(t.Context(), dir, catalog.ID{}, nil, func(tx *catalog.Tx) error {
		must(t, tx.PutStorage(s))
		for i := range n {
			must(t, tx.Put(tensor(fmt.Sprintf("g/%05d", i), s.ID)))
			if i == 0 {
				for _, err := range tx.Records() {
					for j := range n {
						must(t, tx.Put(tensor(fmt.Sprintf("h/%05d", j), s.ID)))
					}
					if err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	if !errors.Is(err, catalog.ErrInvalid) {
		t.Errorf("iteration over what is spilled: %v", err)
	}
}
