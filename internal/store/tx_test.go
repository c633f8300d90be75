package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

func TestManyNamesInOneTransaction(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "old", storetest.Source(t, 0, 2))
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		for i := range 100 {
			if err := tx.Create(fmt.Sprintf("small/%03d", i), storetest.Packed(storetest.Source(t, float64(i), 3))); err != nil {
				return err
			}
		}
		return errors.Join(tx.Rename("old", "new"), tx.View("view", "small/050[1:]"))
	})
	if err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "small/099", 99, 100, 101)
	storetest.WantValues(t, s, "view", 51, 52)
	if n := storetest.StorageFiles(t, s.Dir()); n != 2 {
		t.Errorf("100 small tensors and one other took %d files, want 2", n)
	}
	err = s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Create("more", storetest.Source(t, 0, 1<<16)), tx.Delete("small/001"), tx.Delete("nobody"))
	})
	if !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	storetest.WantValues(t, s, "small/001", 1, 2, 3)
	if _, err := s.Stat(t.Context(), "more"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("half a transaction is visible: %v", err)
	}
}

func TestTxAfterItsEnd(t *testing.T) {
	s := storetest.NewStore(t)
	var late *tstore.Tx
	if err := s.Update(t.Context(), func(tx *tstore.Tx) error { late = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	uses := map[string]func() error{
		"create": func() error { return late.Create("x", storetest.Source(t, 0, 20_000)) },
		"filled": func() error {
			return late.CreateFilled("x", tstore.Spec{DType: dtype.Int8, Shape: []int{3}}, func(*view.Tensor) error { return nil })
		},
		"small":  func() error { return late.Create("x", storetest.Source(t, 0, 2)) },
		"delete": func() error { return late.Delete("x") },
		"blob":   func() error { return late.PutBlob("b", catalog.IntValue(1)) },
	}
	for name, use := range uses {
		if err := use(); err == nil {
			t.Errorf("%s: a transaction that has ended said that it did it", name)
		}
	}
	if files, err := os.ReadDir(filepath.Join(s.Dir(), "tmp")); err != nil || len(files) > 0 {
		t.Errorf("left behind %v, %v", files, err)
	}
}

// TestPackBeginsAnew takes back the only tensor of a shared file and goes on.
func TestPackBeginsAnew(t *testing.T) {
	s := storetest.NewStore(t)
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(
			tx.Create("a", storetest.Source(t, 1, 2)), tx.Delete("a"), tx.Create("b", storetest.Source(t, 5, 2)),
			tx.Create("c", storetest.Source(t, 7, 1)), tx.Replace("c", storetest.Source(t, 8, 1)))
	})
	if err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "b", 5, 6)
	storetest.WantValues(t, s, "c", 8)
}

// TestSpecIsCopied reuses the slices of one Spec for several tensors.
func TestSpecIsCopied(t *testing.T) {
	s := storetest.NewStore(t)
	sp := tstore.Spec{DType: dtype.Float64, Shape: []int{0}, Dims: []string{""}}
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		for i := range 3 {
			sp.Shape[0], sp.Dims[0] = i+1, fmt.Sprint("d", i)
			if err := tx.Create(fmt.Sprint("t", i), tstore.Source{Spec: sp}); err != nil {
				return err
			}
		}
		sp.Shape[0] = 20_000
		err := tx.Create("large", tstore.Source{Spec: sp})
		sp.Shape[0], sp.Dims[0] = 77, "other"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	look := func() {
		t.Helper()
		for i := range 3 {
			info := storetest.Stat(t, s, fmt.Sprint("t", i))
			if info.Record.Shape[0] != int64(i+1) || info.Record.Dims[0] != fmt.Sprint("d", i) {
				t.Errorf("t%d has shape %v and axes %v", i, info.Record.Shape, info.Record.Dims)
			}
		}
		if info := storetest.Stat(t, s, "large"); info.Record.Shape[0] != 20_000 {
			t.Errorf("large has shape %v", info.Record.Shape)
		}
	}
	look()
	if _, err := tstore.Salvage(t.Context(), s.Dir(), nil); err != nil {
		t.Fatal(err)
	}
	look()
}
