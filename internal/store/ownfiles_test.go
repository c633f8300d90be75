package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/npyheader"
	"github.com/tstore/tstore/internal/storetest"
)

// wantOwnFile checks that the file of a tensor is a .npy file of that tensor, or that it is not.
func wantOwnFile(t *testing.T, s *tstore.Store, name string, want bool) {
	t.Helper()
	info := storetest.Stat(t, s, name)
	f, err := os.Open(filepath.Join(s.Dir(), filepath.FromSlash(info.Storage.File())))
	storetest.Must(t, err)
	defer f.Close()
	h, err := npyheader.Read(f)
	storetest.Must(t, err)
	own := h.DType == info.DType && slices.Equal(h.Shape, info.Layout.Shape()) && info.Layout.Offset() == 0
	if own != want {
		t.Errorf("%s: the file has %v %v, the tensor is %v %v: a file of its own %t, want %t", name, h.DType, h.Shape, info.DType, info.Layout.Shape(), own, want)
	}
}

// TestOwnFiles makes small tensors in one transaction, in every way.
func TestOwnFiles(t *testing.T) {
	s := storetest.NewStore(t)
	fortran := storetest.Source(t, 0, 2, 3)
	fortran.Order = tstore.ColumnMajor
	storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Create("a", storetest.Source(t, 0, 10)), tx.Import("b", storetest.Source(t, 0, 2, 5), nil), tx.Import("f", fortran, nil),
			tx.Create("scalar", storetest.Source(t, 0)), tx.Create("empty", storetest.Source(t, 0, 0, 3)))
	}))
	storetest.Must(t, storetest.Discard(s.Eval(t.Context(), "c = a*2; d = c[:3]; total = b.sum()", nil)))
	for _, name := range []string{"a", "b", "f", "scalar", "empty", "c", "d", "total"} {
		wantOwnFile(t, s, name, true)
	}
}

// TestManyShareFiles makes more small tensors in one transaction than get files of their own.
func TestManyShareFiles(t *testing.T) {
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), &tstore.Options{Durability: tstore.DurabilityNone})
	storetest.Must(t, err)
	defer s.Close()
	own := int(storetest.OwnFiles()) // 1,000, or what the process may have open
	storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
		for i := range own + 3 {
			src := storetest.Source(t, float64(i), 3)
			src.Pack = i == 1
			if err := tx.Create(fmt.Sprint("n/", i), src); err != nil {
				return err
			}
		}
		return nil
	}))
	for i, want := range map[int]bool{0: true, 1: false, 2: true, own: true, own + 1: false, own + 2: false} {
		wantOwnFile(t, s, fmt.Sprint("n/", i), want)
		storetest.WantValues(t, s, fmt.Sprint("n/", i), float64(i), float64(i+1), float64(i+2))
	}
	if n := storetest.StorageFiles(t, s.Dir()); n != own+1 {
		t.Errorf("%d files, want %d", n, own+1)
	}
}
