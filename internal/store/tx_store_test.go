package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func TestStoreOfATransaction(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	storetest.Create(t, s, "old/y", storetest.Source(t, 5, 2))
	ctx := t.Context()
	var late *tstore.Store
	err := s.Update(ctx, func(tx *tstore.Tx) error {
		in := tx.Store()
		late = in
		_, err := in.Eval(ctx, "double = x * 2; x = x + 1; total = double.sum()", nil)
		return errors.Join(err, in.Copy(ctx, "copy", "x[::2]", nil), in.Define(ctx, "lazy", "copy", nil), in.Close())
	})
	if err == nil || !strings.Contains(err.Error(), `"x" is changed earlier in this transaction`) {
		t.Fatalf("a copy of what the transaction has changed: %v", err)
	}
	if _, err := s.Stat(ctx, "double"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("half a transaction is visible: %v", err)
	}
	err = s.Update(ctx, func(tx *tstore.Tx) error {
		in := tx.Store()
		err := errors.Join(in.Copy(ctx, "copy", "x[::2]", nil), in.Define(ctx, "lazy", "x + 10", nil))
		if err != nil {
			return err
		}
		_, err = in.Eval(ctx, "double = x * 2; x = x + 1; total = double.sum(); double = double - 1", nil)
		return errors.Join(err, in.Rename(ctx, "old", "new"), in.View(ctx, "v", "new/y[1:]"), in.SetAttr(ctx, "v", "k", catalog.IntValue(3)), tx.Delete("copy"), in.Create(ctx, "copy", storetest.Source(t, 7, 1)))
	})
	if err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x", 1, 2, 3)
	storetest.WantValues(t, s, "double", -1, 1, 3)
	storetest.WantValues(t, s, "total", 6)
	storetest.WantValues(t, s, "copy", 7)
	storetest.WantValues(t, s, "v", 6)
	if _, err := late.Get(ctx, "x"); err == nil || !strings.Contains(err.Error(), "transaction has ended") {
		t.Errorf("a handle of a transaction that has ended: %v", err)
	}
	if err := late.Create(ctx, "late", storetest.Source(t, 0, 1)); err == nil || !strings.Contains(err.Error(), "transaction has ended") {
		t.Errorf("a handle of a transaction that has ended creates: %v", err)
	}
	storetest.WantSound(t, s.Dir())
}

func TestWhatCannotBePartOfATransaction(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	ctx := t.Context()
	tests := map[string]func(*tstore.Store) error{
		"append": func(in *tstore.Store) error { return in.Append(ctx, "x", storetest.Source(t, 9, 1)) },
		"fill":   func(in *tstore.Store) error { return in.Fill(ctx, "x[0]", dtype.ScalarOf(1.0)) },
		"resize": func(in *tstore.Store) error { return in.Resize(ctx, "x", 2) },
		"in place": func(in *tstore.Store) error {
			_, err := in.Eval(ctx, "x += 5", &tstore.EvalOptions{InPlace: true})
			return err
		},
		"writable": func(in *tstore.Store) error {
			w, err := in.OpenWritable(ctx, "x")
			if err == nil {
				w.Close()
			}
			return err
		},
		"gc": func(in *tstore.Store) error {
			_, err := in.GC(ctx, nil)
			return err
		},
		"repair": func(in *tstore.Store) error {
			_, err := in.Repair(ctx, nil)
			return err
		},
	}
	for name, use := range tests {
		t.Run(name, func(t *testing.T) {
			err := s.Update(ctx, func(tx *tstore.Tx) error { return use(tx.Store()) })
			if err == nil || !strings.Contains(err.Error(), "part of a transaction") {
				t.Errorf("got %v", err)
			}
			storetest.WantValues(t, s, "x", 0, 1, 2)
			storetest.WantSound(t, s.Dir())
		})
	}
}

// TestFailedUpdateWithin: an Update of the store of a transaction that fails leaves no part of it
// to the commit, whatever becomes of its error.
func TestFailedUpdateWithin(t *testing.T) {
	s := storetest.NewStore(t)
	no := errors.New("no")
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		_ = tx.Store().Update(t.Context(), func(inner *tstore.Tx) error {
			return errors.Join(inner.Create("half", storetest.Source(t, 0, 3)), no)
		})
		return tx.Create("other", storetest.Source(t, 0, 3))
	})
	if !errors.Is(err, no) {
		t.Errorf("got %v, want the error of the inner function", err)
	}
	for _, name := range []string{"half", "other"} {
		if _, err := s.Stat(t.Context(), name); !errors.Is(err, tstore.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStep: an error that the commit has with a change tells which one that was.
func TestStep(t *testing.T) {
	s := storetest.NewStore(t)
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		tx.Step("first")
		err := tx.Create("x", storetest.Source(t, 0, 3))
		tx.Step("second")
		return errors.Join(err, tx.Rename("nobody", "y"))
	})
	if !errors.Is(err, tstore.ErrNotFound) || !strings.HasPrefix(err.Error(), `second: rename "nobody": `) {
		t.Errorf("got %v", err)
	}
}
