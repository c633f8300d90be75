package store_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// meanwhile is a reader that calls fn before it reads for the first time.
type meanwhile struct {
	io.Reader
	fn func()
}

func (r *meanwhile) Read(p []byte) (int, error) {
	if r.fn != nil {
		r.fn()
		r.fn = nil
	}
	return r.Reader.Read(p)
}

// rowsWhile are rows that others do something beside the reading of.
func rowsWhile(t *testing.T, src tstore.Source, fn func() error) tstore.Source {
	src.Data = &meanwhile{src.Data, func() { storetest.Must(t, fn()) }}
	return src
}

// TestAppendWhileTransposed gives the name of a square tensor to its transpose, which has the same
// storage and the same shape, while rows are appended.
func TestAppendWhileTransposed(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 1, 2, 2))
	err := s.Append(t.Context(), "x", rowsWhile(t, storetest.Source(t, 9, 1, 2), func() error {
		return errors.Join(s.View(t.Context(), "y", "x.T"), s.Delete(t.Context(), "x"), s.Rename(t.Context(), "y", "x"))
	}))
	if !errors.Is(err, tstore.ErrConflict) {
		t.Errorf("got %v, want ErrConflict", err)
	}
	storetest.WantValues(t, s, "x", 1, 3, 2, 4)
}

// TestCopiedWhileSealed restores a snapshot, in which a tensor is sealed or is not, while the
// tensor is extended or copied: the one that was restored last says whether it is.
func TestCopiedWhileSealed(t *testing.T) {
	appends := func(name string) func(s *tstore.Store, fn func() error) error {
		return func(s *tstore.Store, fn func() error) error {
			return s.Append(t.Context(), name, rowsWhile(t, storetest.Source(t, 9, 1), fn))
		}
	}
	for name, change := range map[string]func(s *tstore.Store, fn func() error) error{
		"at the end": appends("x"),
		"by copy":    appends("v"),
	} {
		for _, sealed := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				s := storetest.NewStore(t)
				storetest.Create(t, s, "x", storetest.Source(t, 1, 3))
				storetest.Must(t, s.View(t.Context(), "v", "x[1:]"))
				if sealed {
					storetest.Must(t, s.Seal(t.Context(), "x", nil))
				}
				_, err := s.CreateSnapshot(t.Context(), "monday", "")
				storetest.Must(t, err)
				if sealed {
					storetest.Must(t, s.Unseal(t.Context(), "x"))
				} else {
					storetest.Must(t, s.Seal(t.Context(), "x", nil))
				}
				err = change(s, func() error {
					_, err := s.RestoreSnapshot(t.Context(), "monday")
					return err
				})
				if !errors.Is(err, tstore.ErrConflict) {
					t.Errorf("got %v, want ErrConflict", err)
				}
				for _, name := range []string{"x", "v"} {
					if info, err := s.Stat(t.Context(), name); err != nil || (info.Storage.Seal != nil) != sealed {
						t.Errorf("%s: sealed is not %v: %v", name, sealed, err)
					}
				}
			})
		}
	}
}

// TestWrittenWhileSealed seals a tensor by restoring a snapshot, and removes that, at each moment
// of changes of its elements: they are made before, or not at all.
func TestWrittenWhileSealed(t *testing.T) {
	for name, change := range map[string]func(ctx context.Context, s *tstore.Store) error{
		"fill": func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[0]", dtype.ScalarOf(9.0)) },
		"in place": func(ctx context.Context, s *tstore.Store) error {
			w, err := s.OpenWritable(ctx, "x")
			if err == nil {
				err = w.Close()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			other := storetest.Impatient(t, s.Dir(), time.Millisecond)
			restore := func() error {
				_, err := other.RestoreSnapshot(t.Context(), "monday")
				if err == nil {
					_, err = other.RemoveSnapshot(t.Context(), "monday")
				}
				return err
			}
			storetest.AtEachMoment(t, restore, func(ctx context.Context, changed func() bool) {
				storetest.Create(t, s, "x", storetest.Source(t, 1, 3))
				storetest.Must(t, s.Seal(t.Context(), "x", nil))
				_, err := s.CreateSnapshot(t.Context(), "monday", "")
				storetest.Must(t, errors.Join(err, s.Unseal(t.Context(), "x")))
				if err := change(ctx, s); err != nil && !errors.Is(err, tstore.ErrSealed) && !errors.Is(err, tstore.ErrConflict) {
					t.Error(err)
				}
				r, err := s.Verify(t.Context(), nil)
				if err != nil || len(r.Damage) > 0 {
					t.Errorf("verify: %v, %v", r.Damage, err)
				}
				_, _ = s.RemoveSnapshot(t.Context(), "monday")
				storetest.Must(t, s.Delete(t.Context(), "x"))
			})
		})
	}
}

// TestTakenOutWhileSealed restores a snapshot in which tensors that share a file are sealed, at
// each moment at which one gets a file of its own: it is sealed, whichever comes first.
func TestTakenOutWhileSealed(t *testing.T) {
	s, err := tstore.Init(t.Context(), t.TempDir(), &tstore.Options{Durability: tstore.DurabilityNone})
	storetest.Must(t, err)
	defer s.Close()
	other := storetest.Impatient(t, s.Dir(), time.Millisecond)
	restore := func() error {
		_, err := other.RestoreSnapshot(t.Context(), "monday")
		return err
	}
	storetest.AtEachMoment(t, restore, func(ctx context.Context, changed func() bool) {
		storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
			x, y := storetest.Source(t, 1, 3), storetest.Source(t, 1, 3)
			x.Pack, y.Pack = true, true
			return errors.Join(tx.Create("x", x), tx.Create("y", y))
		}))
		storetest.Must(t, s.Seal(t.Context(), "x", nil))
		_, err := s.CreateSnapshot(t.Context(), "monday", "")
		storetest.Must(t, errors.Join(err, s.Unseal(t.Context(), "x")))
		_, err = s.OwnFile(ctx, "x")
		storetest.Must(t, err)
		info, err := s.Stat(t.Context(), "x")
		storetest.Must(t, err)
		if changed() && info.Storage.Seal == nil {
			t.Error("x is not sealed")
		}
		_, err = s.RemoveSnapshot(t.Context(), "monday")
		storetest.Must(t, errors.Join(err, s.Delete(t.Context(), "x", "y")))
	})
}
