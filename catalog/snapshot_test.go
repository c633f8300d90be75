package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"go.etcd.io/bbolt"
)

// snapshot keeps the state of a catalog, as a store does.
func snapshot(t testing.TB, c *catalog.Catalog, dir, name string) catalog.Snapshot {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "snapshots"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := catalog.Snapshot{Name: name, ID: catalog.NewID(), Note: "a note"}
	update(t, c, func(tx *catalog.Tx) error {
		f, err := fsx.OS.OpenFile(filepath.Join(dir, s.File()), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		s.Bytes, s.Sum, err = tx.Copy(f)
		return errors.Join(err, f.Close(), tx.PutSnapshot(s))
	})
	view(t, c, func(tx *catalog.Tx) (err error) {
		s, err = tx.Snapshot(name)
		return err
	})
	return s
}

func image(t testing.TB, c *catalog.Catalog, s catalog.Snapshot) *catalog.Image {
	t.Helper()
	m, err := c.OpenImage(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func trash(t testing.TB, c *catalog.Catalog) []string {
	t.Helper()
	files := []string{}
	view(t, c, func(tx *catalog.Tx) error {
		list, err := tx.Trash()
		for _, f := range list {
			files = append(files, f.File)
		}
		return err
	})
	return files
}

func TestImageKeepsItsState(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	old := addTensors(t, c, "a", "b")
	s := snapshot(t, c, dir, "monday")
	if s.Seq != 1 || s.Note != "a note" || s.Created.IsZero() {
		t.Errorf("snapshot %+v", s)
	}
	m := image(t, c, s)
	update(t, c, func(tx *catalog.Tx) error {
		return errors.Join(tx.Delete("a"), tx.Rename("b", "c"), tx.Put(blob("d", "text")))
	})
	addTensors(t, c, "e")
	for range 50 { // many commits: pages of the state are used again
		update(t, c, func(tx *catalog.Tx) error { return tx.Put(blob("d", "other text")) })
	}
	for _, name := range []string{"a", "b"} {
		e, err := m.Lookup(t.Context(), name)
		if err != nil || e.Record.Name != name || e.Storage.ID != old.ID {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	for _, name := range []string{"c", "d", "e"} {
		if _, err := m.Lookup(t.Context(), name); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := m.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if err := m.View(t.Context(), func(tx *catalog.Tx) error { return tx.Delete("a") }); !errors.Is(err, catalog.ErrReadOnly) {
		t.Errorf("a change: %v", err)
	}
	if err := errors.Join(m.Close(), m.Close()); err != nil {
		t.Error(err)
	}
	if _, err := m.Lookup(t.Context(), "a"); !errors.Is(err, catalog.ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}

func TestSnapshotNames(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	for _, name := range []string{"b", "a"} {
		snapshot(t, c, dir, name)
	}
	names := func() (all []string) {
		view(t, c, func(tx *catalog.Tx) error {
			list, err := tx.Snapshots()
			for _, s := range list {
				all = append(all, s.Name)
			}
			return err
		})
		return all
	}
	mustEqual(t, "names, the oldest first", names(), []string{"b", "a"})
	for name, want := range map[string]error{"a": catalog.ErrExists, "x/y": catalog.ErrBadName, "": catalog.ErrBadName, "x@y": catalog.ErrBadName} {
		err := c.Update(t.Context(), func(tx *catalog.Tx) error {
			return tx.PutSnapshot(catalog.Snapshot{Name: name, ID: catalog.NewID(), Bytes: 1})
		})
		if !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", name, err, want)
		}
	}
	update(t, c, func(tx *catalog.Tx) error { return tx.DropSnapshot("a") })
	mustEqual(t, "names", names(), []string{"b"})
	if err := c.Update(t.Context(), func(tx *catalog.Tx) error { return tx.DropSnapshot("a") }); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("drop it again: %v", err)
	}
	if s := snapshot(t, c, dir, "a"); s.Seq != 3 {
		t.Errorf("the third snapshot has number %d", s.Seq)
	}
}

// TestHeldFiles walks through what may become of the file of a storage.
func TestHeldFiles(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	held := func(id catalog.ID) (yes bool) {
		view(t, c, func(tx *catalog.Tx) error {
			s, err := tx.Storage(id)
			if err == nil {
				yes, err = tx.Held(s)
			}
			return err
		})
		return yes
	}
	before := addTensors(t, c, "before")
	moved := addTensors(t, c, "moved")
	if held(before.ID) {
		t.Error("held without a snapshot")
	}
	snapshot(t, c, dir, "one")
	after := addTensors(t, c, "after")
	if !held(before.ID) || held(after.ID) {
		t.Errorf("before is held: %t, after: %t", held(before.ID), held(after.ID))
	}
	next := moved
	next.Gen++
	update(t, c, func(tx *catalog.Tx) error {
		return errors.Join(tx.PutStorage(next), tx.Delete("before"), tx.Delete("after"))
	})
	mustEqual(t, "trash", trash(t, c), []string{after.File()})
	if held(moved.ID) {
		t.Error("a new file is held by an older snapshot")
	}
	grown := next
	grown.PayloadBytes += 8
	snapshot(t, c, dir, "two")
	update(t, c, func(tx *catalog.Tx) error { return tx.PutStorage(grown) })
	if !held(moved.ID) {
		t.Error("a file that has grown is not held any more")
	}
	update(t, c, func(tx *catalog.Tx) error { return tx.DropSnapshot("two") })
	if held(moved.ID) {
		t.Error("held by an older snapshot alone")
	}
	restored := moved
	restored.NextGen = 7
	update(t, c, func(tx *catalog.Tx) error { return tx.RestoreStorage(restored) })
	if !held(moved.ID) {
		t.Error("a file of a snapshot is not held")
	}
	view(t, c, func(tx *catalog.Tx) error {
		s, err := tx.Storage(moved.ID)
		if s.Next() != 7 || next.Next() != 2 {
			t.Errorf("next generations %d and %d", s.Next(), next.Next())
		}
		return err
	})
	if files := trash(t, c); !slices.Contains(files, next.File()) || slices.Contains(files, moved.File()) {
		t.Errorf("trash %v", files)
	}
}

// TestWithoutSnapshotsBucket uses a catalog that was made before there were snapshots.
func TestWithoutSnapshotsBucket(t *testing.T) {
	dir := t.TempDir()
	c, err := catalog.Create(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	addTensors(t, c, "a")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(filepath.Join(dir, "catalog.db"), 0o644, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket([]byte("snapshots")) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	c = open(t, dir, nil)
	mustBeSound(t, c)
	update(t, c, func(tx *catalog.Tx) error {
		list, err := tx.Snapshots()
		if len(list) > 0 {
			t.Errorf("found %v", list)
		}
		return errors.Join(err, tx.Delete("a"))
	})
	m := image(t, c, snapshot(t, c, dir, "monday"))
	if _, err := m.Lookup(t.Context(), "a"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	mustBeSound(t, c)
	boltCheck(t, dir)
}

func TestDamagedImage(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	addTensors(t, c, "a")
	s := snapshot(t, c, dir, "monday")
	path := filepath.Join(dir, s.File())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := createIn(t, t.TempDir(), nil)
	if _, err := other.OpenImage(s); !errors.Is(err, catalog.ErrCorrupt) {
		t.Errorf("missing: %v", err)
	}
	verify := func() error {
		m, err := c.OpenImage(s)
		if err != nil {
			return err
		}
		return errors.Join(m.Verify(context.Background()), m.Close())
	}
	for name, damage := range map[string]func(b []byte) []byte{
		"cut off":   func(b []byte) []byte { return b[:len(b)-1] },
		"empty":     func([]byte) []byte { return nil },
		"longer":    func(b []byte) []byte { return append(b, 0) },
		"one bit":   func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
		"last byte": func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
	} {
		if err := os.WriteFile(path, damage(slices.Clone(whole)), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := verify(); !errors.Is(err, catalog.ErrCorrupt) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := os.WriteFile(path, whole, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := verify(); err != nil {
		t.Error(err)
	}
	mustEqual(t, "bytes", s.Bytes, int64(len(whole)))
}
