package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
)

// Again deletes x, or not, restores it from snapshot a, and gives it elements that it did not have:
// each time as many.
type Again struct {
	Name string
	// rows and sealed are what x is at first.
	Rows   int
	Sealed bool
	Change func(ctx context.Context, s *tstore.Store, v float64) error
}

// Agains are the ways to bring a tensor back from a snapshot and change it again.
var Agains = []Again{
	{"append", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), RestoredX(ctx, s), Appended(ctx, s, v))
	}},
	{"append to a sealed one", 2, true, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), RestoredX(ctx, s), Appended(ctx, s, v))
	}},
	{"append to many sealed blocks", BackupRows, true, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), RestoredX(ctx, s), Appended(ctx, s, v))
	}},
	{"append twice", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), RestoredX(ctx, s), Appended(ctx, s, v), Appended(ctx, s, v+1))
	}},
	{"append and rename", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Rename(ctx, "x", "y"), RestoredX(ctx, s), s.Delete(ctx, "y"), Appended(ctx, s, v))
	}},
	{"append after a change", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Fill(ctx, "x[0]", dtype.ScalarOf(v)), RestoredX(ctx, s), Appended(ctx, s, v))
	}},
	{"lengthen", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), RestoredX(ctx, s), s.Resize(ctx, "x", 4), s.Fill(ctx, "x[2:]", dtype.ScalarOf(v)))
	}},
	{"set", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), RestoredX(ctx, s), s.Fill(ctx, "x[1]", dtype.ScalarOf(v)))
	}},
	{"create", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		src, err := tstore.FromSlice([]float64{v, v}, 2)
		return errors.Join(err, s.Delete(ctx, "x"), s.Create(ctx, "x", src))
	}},
}

// SomeAgains are every second one of them, the first or the second among them, or with -long all.
func SomeAgains(first int) (some []Again) {
	for i, a := range Agains {
		if *WholeSweeps || i%2 == first {
			some = append(some, a)
		}
	}
	return some
}

// RestoredX brings the tensor x back from the snapshot.
func RestoredX(ctx context.Context, s *tstore.Store) error {
	_, err := s.RestoreSnapshot(ctx, "a", "x")
	return err
}

// Appended appends a row of v to x.
func Appended(ctx context.Context, s *tstore.Store, v float64) error {
	src, err := tstore.FromSlice([]float64{v, v}, 2)
	return errors.Join(err, s.Append(ctx, "x", src))
}

// Start makes a store with x, a view of it, and snapshot a.
func (a Again) Start(t *testing.T) *tstore.Store {
	t.Helper()
	s := NewStore(t)
	make := s.Create
	if a.Sealed {
		make = func(ctx context.Context, name string, src tstore.Source) error { return s.Import(ctx, name, src, nil) }
	}
	Must(t, make(t.Context(), "x", Source(t, 1, a.Rows)))
	Snapshot(t, s, "a")
	return s
}
