package tstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

func TestOpenErrors(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	if _, err := tstore.Open(ctx, dir, nil); !errors.Is(err, tstore.ErrNotStore) {
		t.Errorf("empty folder: %v", err)
	}
	s := storetest.NewStore(t)
	if _, err := tstore.Init(ctx, s.Dir(), nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("init twice: %v", err)
	}
	copyOf := func(edit func(dir string)) string {
		to := filepath.Join(t.TempDir(), "c")
		if err := os.CopyFS(to, os.DirFS(s.Dir())); err != nil {
			t.Fatal(err)
		}
		edit(to)
		return to
	}
	newer := copyOf(func(dir string) {
		storetest.WriteFile(t, filepath.Join(dir, "STORE"), "tstore store\nformat 99\nid 7-7\ndurability quorum\n")
	})
	storetest.WantFuture(t, storetest.Second(tstore.Open(ctx, newer, nil)), 99)
	other := copyOf(func(dir string) {
		storetest.WriteFile(t, filepath.Join(dir, "STORE"), "tstore store\nformat 1\nid "+catalog.NewID().String()+"\n")
	})
	if _, err := tstore.Open(ctx, other, nil); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("another store's mark: %v", err)
	}
	for _, text := range []string{"", "x", "tstore store\n", "tstore store\nformat x\n", "tstore store\nformat 1\nid 12\n"} {
		bad := copyOf(func(dir string) { storetest.WriteFile(t, filepath.Join(dir, "STORE"), text) })
		if _, err := tstore.Open(ctx, bad, nil); err == nil {
			t.Errorf("STORE file %q was accepted", text)
		}
	}
}

func TestInitGoesOnAfterInterruption(t *testing.T) {
	s := storetest.NewStore(t)
	if err := os.Remove(filepath.Join(s.Dir(), "STORE")); err != nil {
		t.Fatal(err)
	}
	again, err := tstore.Init(t.Context(), s.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.ID() != s.ID() {
		t.Error("the interrupted store's catalog was not taken over")
	}
}

func TestReadOnly(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	ro, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer ro.Close()
	storetest.WantValues(t, ro, "x", 0, 1, 2)
	if err := ro.Create(t.Context(), "y", storetest.Source(t, 0, 1)); !errors.Is(err, tstore.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	if _, err := ro.OpenWritable(t.Context(), "x"); !errors.Is(err, tstore.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
}

func TestClosed(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	x, err := s.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := storetest.Elements(t, x.Tensor); !slices.Equal(got, storetest.UpTo(3)) {
		t.Errorf("closing the store took the elements away: %v", got)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Tensor.Get(0); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("closed tensor: %v", err)
	}
	if _, err := s.Get(t.Context(), "x"); !errors.Is(err, tstore.ErrClosed) {
		t.Errorf("closed store: %v", err)
	}
}

func TestInitKeepsOrphans(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 20_000))
	for _, file := range []string{"STORE", "catalog.db"} {
		if err := os.Remove(filepath.Join(s.Dir(), file)); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := tstore.Init(t.Context(), s.Dir(), nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("init over data files without a catalog: %v, %v", again, err)
	}
	if _, err := tstore.Salvage(t.Context(), s.Dir(), nil); err != nil {
		t.Fatal(err)
	}
	again, err := tstore.Open(t.Context(), s.Dir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	storetest.WantValues(t, again, "x[:2]", 0, 1)
}
