package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
)

// A change is one operation on the store that prepare makes, with the elements of "x" before and
// after it. Whatever happens in between, one of the two must be found.
type Change struct {
	Name          string
	Do            func(context.Context, *tstore.Store) error
	Before, After []float64
}

// Prepare makes the store that a Change begins with.
func Prepare(t testing.TB, dir string) {
	t.Helper()
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	Create(t, s, "x", Source(t, 0, 3, 2))
	Create(t, s, "big", Source(t, 0, CrashRows, 2))
	Create(t, s, "untouched", Source(t, 0, 3))
	Define(t, s, "lazy", "big + untouched[2]")
}

// FailEverywhere fails each file operation of each change in turn, in each of the modes. Without
// -long it fails every eighteenth operation in each mode, other ones in the next mode.
func FailEverywhere(t *testing.T, prepare func(testing.TB, string), changes []Change) {
	step := Every(18)
	for _, c := range changes {
		for i, mode := range []string{"EIO", "ENOSPC", "stop"} {
			t.Run(c.Name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				model := filepath.Join(t.TempDir(), "model")
				prepare(t, model)
				for k := 1 + step/3*i; ; k += step {
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
func failAt(t *testing.T, model string, c Change, mode string, k int) (done bool) {
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
	s, err := OpenOn(t.Context(), dir, faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	doErr := c.Do(t.Context(), s)
	if err := s.Close(); err != nil {
		t.Errorf("operation %d: close: %v", k, err)
	}
	afterCrash(t, dir, c, k, doErr)
	return faulty.Ops() < k
}

// afterCrash opens the store as the next process does and compares.
func afterCrash(t *testing.T, dir string, c Change, k int, doErr error) {
	s, err := tstore.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatalf("operation %d: %v", k, err)
	}
	defer s.Close()
	var repair tstore.RepairOptions
	inPlace := strings.HasPrefix(c.Name, "in place")
	if inPlace && doErr != nil {
		repair.AcceptDirty = []string{"x"}
	}
	for range 2 { // what was quarantined may be marked, too
		if _, err := s.Repair(t.Context(), &repair); err != nil {
			t.Errorf("operation %d: repair: %v", k, err)
		}
	}
	WantValues(t, s, "untouched", 0, 1, 2)
	wantMonday(t, s)
	if doErr != nil && !errors.Is(doErr, tstore.ErrInDoubt) {
		if got := Values(t, s, "x"); !slices.Equal(got, c.Before) && !(inPlace && isMixture(got, c.Before, c.After)) {
			t.Errorf("operation %d: x is %v, expected %v", k, got, c.Before)
		}
		if c.Name == "patch apart" {
			WantValues(t, s, "big[::40000, 1]", 1, 80_001)
			WantValues(t, s, "big[-1]", 2*CrashRows-2, 2*CrashRows-1)
		}
		if err := c.Do(t.Context(), s); err != nil {
			t.Errorf("operation %d: doing it again: %v", k, err)
		}
	}
	WantValues(t, s, "x", c.After...)
	if strings.HasSuffix(c.Name, "rewrite") {
		wantAllNines(t, Values(t, s, "big"), k)
	}
	if c.Name == "patch apart" {
		WantValues(t, s, "big[::40000, 1]", 9, 9)
		WantValues(t, s, "big[-2:]", 2*CrashRows-4, 2*CrashRows-3, 2*CrashRows-2, 9)
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

// PrepareSnapshot makes a store that has changed since the snapshot "monday", and before it another
// one was made.
func PrepareSnapshot(t testing.TB, dir string) {
	t.Helper()
	ctx := t.Context()
	Prepare(t, dir)
	s, err := tstore.Open(ctx, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	Snapshot(t, s, "sunday")
	err = errors.Join(
		s.View(ctx, "shared", "big[:2]"),
		s.Create(ctx, "gone", Source(t, 5, 3)))
	Snapshot(t, s, "monday")
	err = errors.Join(err,
		s.Fill(ctx, "x[1]", dtype.ScalarOf(9.0)),
		s.Fill(ctx, "big[0]", dtype.ScalarOf(9.0)),
		s.Append(ctx, "big", Source(t, 0, 1, 2)),
		s.Create(ctx, "held", Source(t, 0, 3)),
		s.Delete(ctx, "gone"))
	if err != nil {
		t.Fatal(err)
	}
}

// wantMonday reads what prepareSnapshot has put into the snapshots.
func wantMonday(t testing.TB, s *tstore.Store) {
	t.Helper()
	snaps, err := s.Snapshots(t.Context())
	if err != nil {
		t.Error(err)
	}
	for _, snap := range snaps {
		switch snap.Name {
		case "monday":
			WantValues(t, s, "x@monday", UpTo(6)...)
			WantValues(t, s, "big@monday[:2]", UpTo(4)...)
			WantValues(t, s, "gone@monday", 5, 6, 7)
		case "sunday":
			WantValues(t, s, "x@sunday", UpTo(6)...)
			WantValues(t, s, "untouched@sunday", UpTo(3)...)
		}
	}
}
