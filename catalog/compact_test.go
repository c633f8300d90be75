package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/tstore/tstore/catalog"
)

func TestCompact(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	other := open(t, dir, nil)
	st := addTensors(t, c, "kept", "also/kept")
	snapshot(t, c, dir, "monday")
	for batch := range 20 {
		update(t, c, func(tx *catalog.Tx) error {
			for i := range 500 {
				if err := tx.Put(blob(fmt.Sprintf("b/%d/%d", batch, i), "some text that takes room")); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for batch := range 19 {
		update(t, c, func(tx *catalog.Tx) error {
			for i := range 500 {
				if err := tx.Delete(fmt.Sprintf("b/%d/%d", batch, i)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if _, err := other.Lookup(t.Context(), "kept"); err != nil {
		t.Fatal(err)
	}
	was := contents(t, c)
	must(t, os.WriteFile(filepath.Join(dir, "catalog.db.tmp"), []byte("left by a crash"), 0o644))
	before, after, err := c.Compact(t.Context())
	must(t, err)
	if after >= before/4 {
		t.Errorf("%d bytes, and %d afterwards", before, after)
	}
	mustEqual(t, "contents", contents(t, c), was)
	mustKeep(t, dir, nil, false)
	boltCheck(t, dir)
	mustBeSound(t, c)
	update(t, c, func(tx *catalog.Tx) error { return tx.Rename("kept", "renamed") })
	if _, err := other.Lookup(t.Context(), "kept"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("another handle still sees the former file: %v", err)
	}
	e, err := other.Lookup(t.Context(), "renamed")
	must(t, err)
	mustEqual(t, "storage", e.Storage.ID, st.ID)
	must(t, other.Close())
	if _, _, err := other.Compact(t.Context()); !errors.Is(err, catalog.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

// contents lists all records.
func contents(t *testing.T, c *catalog.Catalog) (all []catalog.Record) {
	t.Helper()
	view(t, c, func(tx *catalog.Tx) error {
		for r, err := range tx.Records() {
			if err != nil {
				return err
			}
			all = append(all, r)
		}
		return nil
	})
	return all
}

func TestCompactWhileOthersWrite(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	const writers, puts = 3, 40
	var group sync.WaitGroup
	for w := range writers {
		handle := open(t, dir, nil)
		group.Go(func() {
			for i := range puts {
				if err := handle.Update(t.Context(), func(tx *catalog.Tx) error { return tx.Put(blob(fmt.Sprintf("%d/%d", w, i), "text")) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 10 {
		if _, _, err := c.Compact(t.Context()); err != nil {
			t.Error(err)
		}
	}
	group.Wait()
	mustEqual(t, "records", len(contents(t, c)), writers*puts)
	boltCheck(t, dir)
	mustBeSound(t, c)
}

func TestCompactErrors(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	addTensors(t, c, "x")
	readOnly := open(t, dir, &catalog.Options{ReadOnly: true})
	if _, _, err := readOnly.Compact(t.Context()); !errors.Is(err, catalog.ErrReadOnly) {
		t.Errorf("read-only: %v", err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "catalog.db"))
	must(t, err)
	sound := slices.Clone(b)
	defer func() { must(t, os.WriteFile(filepath.Join(dir, "catalog.db"), sound, 0o644)) }()
	for i := 2 * os.Getpagesize(); i < len(b); i++ {
		b[i] = 0xA5
	}
	must(t, os.WriteFile(filepath.Join(dir, "catalog.db"), b, 0o644))
	if _, _, err := c.Compact(t.Context()); !errors.Is(err, catalog.ErrCorrupt) {
		t.Errorf("damaged: %v", err)
	}
	now, err := os.ReadFile(filepath.Join(dir, "catalog.db"))
	must(t, err)
	if string(now) != string(b) {
		t.Error("the damaged catalog was replaced")
	}
	mustKeep(t, dir, nil, false)
}
