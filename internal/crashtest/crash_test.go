package crashtest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

func changes(t testing.TB) []storetest.Change {
	x := storetest.UpTo(6)
	changed := []float64{0, 1, 9, 9, 4, 5}
	return []storetest.Change{
		{Name: "create", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Create(ctx, "new", storetest.Source(t, 0, 20_000))
		}, Before: x, After: x},
		{Name: "create packed", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("p", storetest.Packed(storetest.Source(t, 0, 2))), tx.Create("q", storetest.Packed(storetest.Source(t, 0, 2))), tx.Create("r", storetest.Source(t, 0, 2)), tx.Replace("x", storetest.Source(t, 1, 1)))
			})
		}, Before: x, After: []float64{1}},
		{Name: "replace", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Replace(ctx, "x", storetest.Source(t, 10, 2))
		}, Before: x, After: []float64{10, 11}},
		{Name: "append", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "x", storetest.Source(t, 6, 2, 2))
		}, Before: x, After: storetest.UpTo(10)},
		{Name: "resize", Do: func(ctx context.Context, s *tstore.Store) error { return s.Resize(ctx, "x", 3, 1) }, Before: x, After: []float64{0, 2, 4}},
		{Name: "patch", Do: func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[1]", dtype.ScalarOf(9.0)) }, Before: x, After: changed},
		{Name: "patch apart", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Fill(ctx, "big[[0, 40000, -1], 1]", dtype.ScalarOf(9.0))
		}, Before: x, After: x},
		{Name: "rewrite", Do: func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "big", dtype.ScalarOf(9.0)) }, Before: x, After: x},
		{Name: "materialize", Do: func(ctx context.Context, s *tstore.Store) error { return s.Materialize(ctx, "lazy", nil) }, Before: x, After: x},
		{Name: "define materialized", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Define(ctx, "made", "big + untouched[2]", &tstore.DefineOptions{Materialize: true})
		}, Before: x, After: x},
		{Name: "eval", Do: storetest.Evaluates("new = big * 2; x = x + 9; small = x"), Before: x, After: []float64{9, 10, 11, 12, 13, 14}},
		{Name: "eval patch", Do: storetest.Evaluates("x[1] = 9"), Before: x, After: changed},
		{Name: "eval rewrite", Do: storetest.Evaluates("big = big*0 + 9; new = big; big[:] = new"), Before: x, After: x},
		{Name: "eval program", Do: storetest.Evaluates("x[1] = untouched[:2]*0 + 9; new = x + big[:3]"), Before: x, After: changed},
		{Name: "delete", Do: func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "big") }, Before: x, After: x},
		{Name: "many names", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("n/1", storetest.Source(t, 0, 20_000)), tx.Replace("x", storetest.Source(t, 2, 1)), tx.Rename("big", "n/big"), tx.Delete("lazy"))
			})
		}, Before: x, After: []float64{2}},
		{Name: "gc", Do: func(ctx context.Context, s *tstore.Store) error {
			orphan := filepath.Join(s.Dir(), "storages", "ab", "ab0000000000000000000000000000cd.npy")
			if err := errors.Join(os.MkdirAll(filepath.Dir(orphan), 0o755), os.WriteFile(orphan, make([]byte, 5000), 0o644)); err != nil {
				return err
			}
			_, err := s.GC(ctx, nil)
			return err
		}, Before: x, After: x},
		{Name: "in place", Do: func(ctx context.Context, s *tstore.Store) error {
			w, err := s.OpenWritable(ctx, "x[1]")
			if err != nil {
				return err
			}
			return errors.Join(view.Fill(t.Context(), w.Tensor, dtype.ScalarOf(9.0)), w.Close())
		}, Before: x, After: changed},
		{Name: "in place, two parts", Do: func(ctx context.Context, s *tstore.Store) error { return fillParts(ctx, s, 9, "x[1, 0]", "x[1, 1]") }, Before: x, After: changed},
	}
}

// fillParts fills parts of tensors that are open for writing in place at the same time.
func fillParts(ctx context.Context, s *tstore.Store, v float64, parts ...string) error {
	var errs []error
	var open []*tstore.Writable
	for _, sel := range parts {
		w, err := s.OpenWritable(ctx, sel)
		if err != nil {
			errs = append(errs, err)
			break
		}
		open = append(open, w)
		errs = append(errs, view.Fill(context.Background(), w.Tensor, dtype.ScalarOf(v)))
	}
	for _, w := range open {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// TestFailAtEveryOperation fails each file operation of each change in turn, once and then for good
// as if the process had died.
func TestFailAtEveryOperation(t *testing.T) {
	storetest.FailEverywhere(t, storetest.Prepare, changes(t))
}

// sealedRows makes checksums that don't stand in the catalog.
const sealedRows = 530_000

// TestFailAtEveryOperationOnSeals is TestFailAtEveryOperation for changes that make checksums.
func TestFailAtEveryOperationOnSeals(t *testing.T) {
	x := storetest.UpTo(6)
	storetest.FailEverywhere(t, prepareSealed, []storetest.Change{
		{Name: "import", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Import(ctx, "new", storetest.Source(t, 0, sealedRows), nil)
		}, Before: x, After: x},
		{Name: "append", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "sealed", storetest.Source(t, 6, 9))
		}, Before: x, After: x},
		{Name: "unseal", Do: func(ctx context.Context, s *tstore.Store) error { return s.Unseal(ctx, "sealed") }, Before: x, After: x},
		{Name: "seal", Do: func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "open", nil) }, Before: x, After: x},
		{Name: "delete", Do: func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "sealed") }, Before: x, After: x},
	})
}

// TestFailAtEveryOperationOnPacked is TestFailAtEveryOperation for a tensor that leaves the file
// that it shares with another.
func TestFailAtEveryOperationOnPacked(t *testing.T) {
	storetest.FailEverywhere(t, preparePacked, []storetest.Change{
		{Name: "append", Do: func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "x", storetest.Source(t, 6, 1, 2))
		}, Before: storetest.UpTo(6), After: storetest.UpTo(8)},
	})
}

func preparePacked(t testing.TB, dir string) {
	t.Helper()
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Update(t.Context(), func(tx *tstore.Tx) error {
		return errors.Join(tx.Create("x", storetest.Packed(storetest.Source(t, 0, 3, 2))), tx.Create("untouched", storetest.Packed(storetest.Source(t, 0, 3))), tx.View("v", "x[1:]"))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func prepareSealed(t testing.TB, dir string) {
	t.Helper()
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3, 2))
	storetest.Create(t, s, "untouched", storetest.Source(t, 0, 3))
	storetest.Create(t, s, "open", storetest.Source(t, 0, sealedRows))
	if err := s.Import(t.Context(), "sealed", storetest.Source(t, 0, sealedRows), nil); err != nil {
		t.Fatal(err)
	}
}
