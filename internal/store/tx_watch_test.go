package store_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func TestConflicts(t *testing.T) {
	get := func(tx *tstore.Tx) error {
		x, err := tx.Get("x[1:]")
		if err != nil {
			return err
		}
		return errors.Join(x.Close(), tx.PutBlob("made of x", catalog.IntValue(1)))
	}
	blob := func(tx *tstore.Tx) error {
		v, err := tx.Blob("n")
		return errors.Join(err, tx.PutBlob("copy", v))
	}
	tests := []struct {
		name  string
		tx    func(*tstore.Tx) error
		other func(context.Context, *tstore.Store) error
		want  []string
	}{
		{"read and replaced", get, func(ctx context.Context, s *tstore.Store) error {
			return s.Replace(ctx, "x", storetest.Source(t, 9, 3))
		}, []string{"x"}},
		{"read and set", get, func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[0]", dtype.ScalarOf(7.0)) }, []string{"x"}},
		{"read and appended to", get, func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", storetest.Source(t, 9, 3)) }, []string{"x"}},
		{"read and removed", get, func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "x") }, []string{"x"}},
		{"read and made anew", get, func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Delete(ctx, "x"), s.Create(ctx, "x", storetest.Source(t, 0, 3)))
		}, []string{"x"}},
		{"read, and another one changed", get, func(ctx context.Context, s *tstore.Store) error {
			return s.Replace(ctx, "y", storetest.Source(t, 9, 3))
		}, nil},
		{"replaced twice", func(tx *tstore.Tx) error { return tx.Replace("x", storetest.Source(t, 5, 3)) },
			func(ctx context.Context, s *tstore.Store) error {
				return s.Replace(ctx, "x", storetest.Source(t, 9, 3))
			}, []string{"x"}},
		{"deleted and replaced", func(tx *tstore.Tx) error { return tx.Delete("x") },
			func(ctx context.Context, s *tstore.Store) error {
				return s.Replace(ctx, "x", storetest.Source(t, 9, 3))
			}, []string{"x"}},
		{"several", func(tx *tstore.Tx) error {
			return errors.Join(tx.Delete("y"), tx.Replace("x", storetest.Source(t, 5, 3)), tx.Watch("n", "new"))
		}, func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Rename(ctx, "y", "z"), s.Delete(ctx, "x"), s.Create(ctx, "new", storetest.Source(t, 0, 1)))
		}, []string{"new", "x", "y"}},
		{"a blob", blob, func(ctx context.Context, s *tstore.Store) error { return s.PutBlob(ctx, "n", catalog.IntValue(2)) }, []string{"n"}},
		{"a blob that is not touched", blob, func(ctx context.Context, s *tstore.Store) error { return s.PutBlob(ctx, "m", catalog.IntValue(2)) }, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
			storetest.Create(t, s, "y", storetest.Source(t, 0, 3))
			if err := s.PutBlob(t.Context(), "n", catalog.IntValue(1)); err != nil {
				t.Fatal(err)
			}
			other, err := tstore.Open(t.Context(), s.Dir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			err = s.Update(t.Context(), func(tx *tstore.Tx) error {
				if err := test.tx(tx); err != nil {
					return err
				}
				if err := test.other(t.Context(), other); err != nil {
					t.Fatal(err)
				}
				return tx.PutBlob("done", catalog.BoolValue(true))
			})
			var conflict *tstore.ConflictError
			if (err != nil || test.want != nil) && !errors.As(err, &conflict) {
				t.Fatalf("got %v, want a ConflictError", err)
			}
			if conflict != nil {
				if diff := cmp.Diff(test.want, conflict.Names); diff != "" {
					t.Errorf("names (-want +got):\n%s", diff)
				}
				if !errors.Is(err, tstore.ErrConflict) {
					t.Errorf("%v is no ErrConflict", err)
				}
			}
			_, err = s.Blob(t.Context(), "done")
			if done := err == nil; done != (test.want == nil) {
				t.Errorf("the transaction took place: %v (%v)", done, err)
			}
		})
	}
}

func TestNamesMadeInATransactionDoNotConflict(t *testing.T) {
	s := storetest.NewStore(t)
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Create("a", storetest.Source(t, 0, 2)), tx.Replace("a", storetest.Source(t, 5, 2)), tx.Rename("a", "b"), tx.Replace("b", storetest.Source(t, 7, 2)), tx.Create("c", storetest.Source(t, 0, 1)), tx.Delete("c"))
	})
	if err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "b", 7, 8)
}

func TestNoIncrementIsLost(t *testing.T) {
	s := storetest.NewStore(t)
	if err := s.PutBlob(t.Context(), "n", catalog.IntValue(0)); err != nil {
		t.Fatal(err)
	}
	const writers, times = 4, 25
	var group sync.WaitGroup
	for range writers {
		handle, err := tstore.Open(t.Context(), s.Dir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer handle.Close()
		group.Go(func() {
			for done := 0; done < times; {
				err := handle.Update(t.Context(), func(tx *tstore.Tx) error {
					v, err := tx.Blob("n")
					if err != nil {
						return err
					}
					n, _ := v.Int()
					return tx.PutBlob("n", catalog.IntValue(n+1))
				})
				switch {
				case err == nil:
					done++
				case !errors.Is(err, tstore.ErrConflict):
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	v, err := s.Blob(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := v.Int(); n != writers*times {
		t.Errorf("%d increments arrived, want %d", n, writers*times)
	}
}

// TestImportOverwrites checks that what is replaced unseen is no conflict: the last one wins.
func TestImportOverwrites(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	err := s.Update(t.Context(), func(tx *tstore.Tx) error {
		err := tx.Import("x", storetest.Source(t, 5, 2), &tstore.ImportOptions{Overwrite: true})
		return errors.Join(err, s.Replace(t.Context(), "x", storetest.Source(t, 9, 3)))
	})
	if err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x", 5, 6)
}
