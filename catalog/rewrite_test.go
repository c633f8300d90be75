package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/catalog"
)

// TestRewrite makes a backup of a catalog, puts it in the place of another one that is open, and
// goes on with it as a store of its own.
func TestRewrite(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	addTensors(t, c, "a", "b")
	s := snapshot(t, c, dir, "monday")
	update(t, c, func(tx *catalog.Tx) error { return tx.Delete("a") })

	other, into := createIn(t, t.TempDir(), nil)
	file := filepath.Join(into, "new")
	mark := catalog.Backup{ID: catalog.NewID(), Seq: 3, From: "/store"}
	bytes, _, err := catalog.Rewrite(t.Context(), filepath.Join(dir, s.File()), file, func(tx *catalog.Tx) error {
		return errors.Join(tx.MarkBackup(mark), tx.Delete("b"))
	})
	fi, statErr := os.Stat(file)
	if err := errors.Join(err, statErr); err != nil || fi.Size() != bytes {
		t.Fatalf("%d bytes, %v", bytes, err)
	}
	if _, err := other.Lookup(t.Context(), "a"); !errors.Is(err, catalog.ErrNotFound) {
		t.Fatal(err)
	}
	if err := catalog.Install(t.Context(), into, file, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Lookup(t.Context(), "a"); err != nil {
		t.Errorf("the handle that was open: %v", err)
	}
	b := open(t, into, nil)
	if m := b.Meta(); m.Backup != mark || m.Store != c.StoreID() || !m.Lineage.IsZero() {
		t.Errorf("meta %+v", m)
	}
	if _, err := b.Lookup(t.Context(), "b"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("b: %v", err)
	}
	mustBeSound(t, b)
	boltCheck(t, into)
	update(t, b, func(tx *catalog.Tx) error { return tx.MarkRestored() })
	if m := open(t, into, nil).Meta(); !m.Backup.ID.IsZero() || m.Lineage.IsZero() {
		t.Errorf("meta of the restored %+v", m)
	}
	want := errors.New("no")
	if _, _, err := catalog.Rewrite(context.Background(), filepath.Join(dir, s.File()), file, func(*catalog.Tx) error { return want }); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is left: %v", err)
	}
}
