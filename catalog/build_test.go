package catalog_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"go.etcd.io/bbolt"
)

// create returns a fresh catalog, which is checked when the test ends.
func create(t testing.TB, o *catalog.Options) *catalog.Catalog {
	t.Helper()
	c, _ := createIn(t, t.TempDir(), o)
	return c
}

func createIn(t testing.TB, dir string, o *catalog.Options) (*catalog.Catalog, string) {
	t.Helper()
	c, err := catalog.Create(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		mustBeSound(t, c)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		boltCheck(t, dir)
	})
	return c, dir
}

// open opens a catalog and closes it when the test ends.
func open(t testing.TB, dir string, o *catalog.Options) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(context.Background(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func mustBeSound(t testing.TB, c *catalog.Catalog) {
	t.Helper()
	problems, err := c.Check(context.Background())
	if err != nil {
		t.Error(err)
	}
	for _, p := range problems {
		t.Errorf("check: %v", p)
	}
}

// boltCheck runs bbolt's own check, as a second opinion.
func boltCheck(t testing.TB, dir string) {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(dir, "catalog.db"), 0o644, &bbolt.Options{ReadOnly: true, Timeout: 10 * time.Second})
	if err != nil {
		t.Error(err)
		return
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Errorf("bbolt check: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// update runs fn in a transaction that has to succeed.
func update(t testing.TB, c *catalog.Catalog, fn func(*catalog.Tx) error) {
	t.Helper()
	if err := c.Update(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// view runs fn in a transaction that has to succeed.
func view(t testing.TB, c *catalog.Catalog, fn func(*catalog.Tx) error) {
	t.Helper()
	if err := c.View(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// tensor is a small tensor over a storage.
func tensor(name string, id catalog.ID) catalog.Record {
	return catalog.Record{Name: name, Storage: id, DType: dtype.Float32, Shape: []int64{3, 4}, Strides: []int64{4, 1}}
}

// blob is a blob that holds text.
func blob(name, text string) catalog.Record {
	return catalog.Record{Name: name, Kind: catalog.KindBlob, Blob: catalog.StringValue(text)}
}

// lazy is a name of a formula.
func lazy(name, text string) catalog.Record {
	return catalog.Record{Name: name, Kind: catalog.KindLazy, DType: dtype.Float32, Formula: catalog.Formula{Text: text}}
}

// storage is a new storage of 48 payload bytes.
func storage() catalog.Storage {
	return catalog.Storage{ID: catalog.NewID(), HeaderBytes: 4096, PayloadBytes: 48}
}

// addTensors puts tensors over one new storage.
func addTensors(t testing.TB, c *catalog.Catalog, names ...string) catalog.Storage {
	t.Helper()
	s := storage()
	update(t, c, func(tx *catalog.Tx) error {
		if err := tx.PutStorage(s); err != nil {
			return err
		}
		for _, name := range names {
			if err := tx.Put(tensor(name, s.ID)); err != nil {
				return err
			}
		}
		return nil
	})
	return s
}

func mustEqual[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
