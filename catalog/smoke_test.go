package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	c, err := catalog.Create(ctx, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := catalog.NewID()
	for k := range 3 {
		err = c.Update(ctx, func(tx *catalog.Tx) error {
			if k == 0 {
				if err := tx.PutStorage(catalog.Storage{ID: id, HeaderBytes: 4096, PayloadBytes: 100}); err != nil {
					return err
				}
			}
			for i := range 2000 {
				r := catalog.Record{Name: fmt.Sprintf("g%d/a%d/t%04d", k, i%7, i), Storage: id, DType: dtype.Float32, Shape: []int64{5, 5}, Strides: []int64{5, -1}}
				if err := tx.Put(r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		e, err := c.Lookup(ctx, "g1/a1/t0001")
		if err != nil {
			t.Fatal(err)
		}
		t.Log(e.Record, e.Storage)
	}
	err = c.Update(ctx, func(tx *catalog.Tx) error {
		items, err := tx.List("", "", false, 10)
		t.Log(items, err)
		items, err = tx.List("g1", "", false, 3)
		t.Log(items, err)
		items, err = tx.List("g1", "g1/a2", false, 3)
		t.Log(items, err)
		if err := tx.Rename("g1", "z/y"); err != nil {
			return err
		}
		items, err = tx.List("z/y", "z/y/a2", true, 3)
		t.Log(items, err)
		err = tx.Delete("g0/a1/t00001")
		t.Log(err)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := 6000; n > 0; {
		err = c.Update(ctx, func(tx *catalog.Tx) error {
			names, err := tx.Sharers(id, 1001)
			for _, s := range names {
				err = errors.Join(err, tx.Delete(s))
				n--
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c.View(ctx, func(tx *catalog.Tx) error {
		tr, err := tx.Trash()
		t.Log(tr, err)
		_, err = tx.Storage(id)
		t.Log(err, cmp.Diff(1, 1))
		return nil
	})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}
