package tstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tstore/tstore/internal/storetest"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/view"
)

// A change is one operation on the store that prepare makes, with the elements of "x" before and
// after it. Whatever happens in between, one of the two must be found.
type change struct {
	name          string
	do            func(context.Context, *tstore.Store) error
	before, after []float64
}

const crashRows = 70_000

func prepare(t testing.TB, dir string) {
	t.Helper()
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	create(t, s, "x", source(t, 0, 3, 2))
	create(t, s, "big", source(t, 0, crashRows, 2))
	create(t, s, "untouched", source(t, 0, 3))
	define(t, s, "lazy", "big + untouched[2]")
}

func changes(t testing.TB) []change {
	x := upTo(6)
	changed := []float64{0, 1, 9, 9, 4, 5}
	return []change{
		{"create", func(ctx context.Context, s *tstore.Store) error { return s.Create(ctx, "new", source(t, 0, 20_000)) }, x, x},
		{"create packed", func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("p", packed(source(t, 0, 2))), tx.Create("q", packed(source(t, 0, 2))), tx.Create("r", source(t, 0, 2)), tx.Replace("x", source(t, 1, 1)))
			})
		}, x, []float64{1}},
		{"replace", func(ctx context.Context, s *tstore.Store) error { return s.Replace(ctx, "x", source(t, 10, 2)) }, x, []float64{10, 11}},
		{"append", func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", source(t, 6, 2, 2)) }, x, upTo(10)},
		{"resize", func(ctx context.Context, s *tstore.Store) error { return s.Resize(ctx, "x", 3, 1) }, x, []float64{0, 2, 4}},
		{"patch", func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[1]", dtype.ScalarOf(9.0)) }, x, changed},
		{"patch apart", func(ctx context.Context, s *tstore.Store) error {
			return s.Fill(ctx, "big[[0, 40000, -1], 1]", dtype.ScalarOf(9.0))
		}, x, x},
		{"rewrite", func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "big", dtype.ScalarOf(9.0)) }, x, x},
		{"materialize", func(ctx context.Context, s *tstore.Store) error { return s.Materialize(ctx, "lazy", nil) }, x, x},
		{"define materialized", func(ctx context.Context, s *tstore.Store) error {
			return s.Define(ctx, "made", "big + untouched[2]", &tstore.DefineOptions{Materialize: true})
		}, x, x},
		{"eval", evaluates("new = big * 2; x = x + 9; small = x"), x, []float64{9, 10, 11, 12, 13, 14}},
		{"eval patch", evaluates("x[1] = 9"), x, changed},
		{"eval rewrite", evaluates("big = big*0 + 9; new = big; big[:] = new"), x, x},
		{"eval program", evaluates("x[1] = untouched[:2]*0 + 9; new = x + big[:3]"), x, changed},
		{"delete", func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "big") }, x, x},
		{"many names", func(ctx context.Context, s *tstore.Store) error {
			return s.Update(ctx, func(tx *tstore.Tx) error {
				return errors.Join(tx.Create("n/1", source(t, 0, 20_000)), tx.Replace("x", source(t, 2, 1)), tx.Rename("big", "n/big"), tx.Delete("lazy"))
			})
		}, x, []float64{2}},
		{"gc", func(ctx context.Context, s *tstore.Store) error {
			orphan := filepath.Join(s.Dir(), "storages", "ab", "ab0000000000000000000000000000cd.npy")
			if err := errors.Join(os.MkdirAll(filepath.Dir(orphan), 0o755), os.WriteFile(orphan, make([]byte, 5000), 0o644)); err != nil {
				return err
			}
			_, err := s.GC(ctx, nil)
			return err
		}, x, x},
		{"in place", func(ctx context.Context, s *tstore.Store) error {
			w, err := s.OpenWritable(ctx, "x[1]")
			if err != nil {
				return err
			}
			return errors.Join(view.Fill(t.Context(), w.Tensor, dtype.ScalarOf(9.0)), w.Close())
		}, x, changed},
		{"in place, two parts", func(ctx context.Context, s *tstore.Store) error { return fillParts(ctx, s, 9, "x[1, 0]", "x[1, 1]") }, x, changed},
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

// evaluates is a change that runs statements.
func evaluates(text string) func(context.Context, *tstore.Store) error {
	return func(ctx context.Context, s *tstore.Store) error {
		r, err := s.Eval(ctx, text, nil)
		if err != nil {
			return err
		}
		return r.Close()
	}
}

// TestFailAtEveryOperation fails each file operation of each change in turn, once and then for good
// as if the process had died.
func TestFailAtEveryOperation(t *testing.T) { failEverywhere(t, prepare, changes(t)) }

// sealedRows makes checksums that don't stand in the catalog.
const sealedRows = 530_000

// TestFailAtEveryOperationOnSeals is TestFailAtEveryOperation for changes that make checksums.
func TestFailAtEveryOperationOnSeals(t *testing.T) {
	x := upTo(6)
	failEverywhere(t, prepareSealed, []change{
		{"import", func(ctx context.Context, s *tstore.Store) error {
			return s.Import(ctx, "new", source(t, 0, sealedRows), nil)
		}, x, x},
		{"append", func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "sealed", source(t, 6, 9)) }, x, x},
		{"unseal", func(ctx context.Context, s *tstore.Store) error { return s.Unseal(ctx, "sealed") }, x, x},
		{"seal", func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "open", nil) }, x, x},
		{"delete", func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "sealed") }, x, x},
	})
}

// TestFailAtEveryOperationOnPacked is TestFailAtEveryOperation for a tensor that leaves the file
// that it shares with another.
func TestFailAtEveryOperationOnPacked(t *testing.T) {
	failEverywhere(t, preparePacked, []change{
		{"append", func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", source(t, 6, 1, 2)) }, upTo(6), upTo(8)},
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
		return errors.Join(tx.Create("x", packed(source(t, 0, 3, 2))), tx.Create("untouched", packed(source(t, 0, 3))), tx.View("v", "x[1:]"))
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
	create(t, s, "x", source(t, 0, 3, 2))
	create(t, s, "untouched", source(t, 0, 3))
	create(t, s, "open", source(t, 0, sealedRows))
	if err := s.Import(t.Context(), "sealed", source(t, 0, sealedRows), nil); err != nil {
		t.Fatal(err)
	}
}

// failEverywhere fails each file operation of each change in turn, in each of the modes. Without
// -long it fails every fifth operation in each mode, other ones in the next mode.
func failEverywhere(t *testing.T, prepare func(testing.TB, string), changes []change) {
	for _, c := range changes {
		for i, mode := range []string{"EIO", "ENOSPC", "stop"} {
			t.Run(c.name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				model := filepath.Join(t.TempDir(), "model")
				prepare(t, model)
				for k := 1 + i%every(5); ; k += every(5) {
					if failAt(t, model, c, mode, k) {
						if k == 1 {
							t.Fatal("no file operation was counted")
						}
						return
					}
				}
			})
		}
	}
}

// failAt runs the change on a copy of the store with a failure at operation k, and reports whether
// it ended before k.
func failAt(t *testing.T, model string, c change, mode string, k int) (done bool) {
	dir := filepath.Join(t.TempDir(), "s")
	if err := os.CopyFS(dir, os.DirFS(model)); err != nil {
		t.Fatal(err)
	}
	faulty := fsx.NewFaulty(fsx.OS)
	switch mode {
	case "EIO":
		faulty.FailAt(k, syscall.EIO)
	case "ENOSPC":
		faulty.FailAt(k, syscall.ENOSPC)
	case "stop":
		faulty.StopAt(k)
	}
	s, err := storetest.OpenOn(t.Context(), dir, faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	doErr := c.do(t.Context(), s)
	if err := s.Close(); err != nil {
		t.Errorf("operation %d: close: %v", k, err)
	}
	afterCrash(t, dir, c, k, doErr)
	return faulty.Ops() < k
}

// afterCrash opens the store as the next process does and compares.
func afterCrash(t *testing.T, dir string, c change, k int, doErr error) {
	s, err := tstore.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatalf("operation %d: %v", k, err)
	}
	defer s.Close()
	var repair tstore.RepairOptions
	inPlace := strings.HasPrefix(c.name, "in place")
	if inPlace && doErr != nil {
		repair.AcceptDirty = []string{"x"}
	}
	for range 2 { // what was quarantined may be marked, too
		if _, err := s.Repair(t.Context(), &repair); err != nil {
			t.Errorf("operation %d: repair: %v", k, err)
		}
	}
	wantValues(t, s, "untouched", 0, 1, 2)
	wantMonday(t, s)
	if doErr != nil && !errors.Is(doErr, tstore.ErrInDoubt) {
		if got := values(t, s, "x"); !slices.Equal(got, c.before) && !(inPlace && isMixture(got, c.before, c.after)) {
			t.Errorf("operation %d: x is %v, expected %v", k, got, c.before)
		}
		if c.name == "patch apart" {
			wantValues(t, s, "big[::40000, 1]", 1, 80_001)
			wantValues(t, s, "big[-1]", 2*crashRows-2, 2*crashRows-1)
		}
		if err := c.do(t.Context(), s); err != nil {
			t.Errorf("operation %d: doing it again: %v", k, err)
		}
	}
	wantValues(t, s, "x", c.after...)
	if strings.HasSuffix(c.name, "rewrite") {
		wantAllNines(t, values(t, s, "big"), k)
	}
	if c.name == "patch apart" {
		wantValues(t, s, "big[::40000, 1]", 9, 9)
		wantValues(t, s, "big[-2:]", 2*crashRows-4, 2*crashRows-3, 2*crashRows-2, 9)
	}
	if _, err := s.GC(t.Context(), nil); err != nil {
		t.Errorf("operation %d: gc: %v", k, err)
	}
	wantMonday(t, s)
	found, err := s.Check(t.Context())
	if err != nil || len(found) > 0 {
		t.Errorf("operation %d: after repair and gc: %+v, %v", k, found, err)
	}
	if r, err := s.Verify(t.Context(), nil); err != nil || len(r.Damage) > 0 {
		t.Errorf("operation %d: verify: %+v, %v", k, r, err)
	}
}

// isMixture reports whether each element is that of a or of b.
func isMixture(got, a, b []float64) bool {
	if len(got) != len(a) || len(got) != len(b) {
		return false
	}
	for i, v := range got {
		if v != a[i] && v != b[i] {
			return false
		}
	}
	return true
}

func wantAllNines(t *testing.T, got []float64, k int) {
	t.Helper()
	for i, v := range got {
		if v != 9 {
			t.Errorf("operation %d: element %d is %v", k, i, v)
			return
		}
	}
}
