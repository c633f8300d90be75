package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// TestChangesAmidDeletes changes a tensor that others delete, make anew and replace all the time. A
// change finds it, or says that it is gone or was replaced; it is never in doubt, and no storage is
// told by its number.
func TestChangesAmidDeletes(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	ctx := t.Context()
	others := storetest.Impatient(t, s.Dir(), 10*time.Second)
	end := time.Now().Add(time.Duration(storetest.Few(700, 200)) * time.Millisecond)
	changes := map[string]func() error{
		"fill":     func() error { return s.Fill(ctx, "x", storetest.Scalar(t, 1)) },
		"eval":     func() error { return storetest.Discard(s.Eval(ctx, "x[:3] += 1", nil)) },
		"pick":     func() error { return storetest.Discard(s.Eval(ctx, "x[[1, 2]] = 5", nil)) },
		"in place": func() error { return storetest.Discard(s.Eval(ctx, "x += 1", &tstore.EvalOptions{InPlace: true})) },
	}
	var all sync.WaitGroup
	for name, change := range changes {
		all.Go(func() {
			for time.Now().Before(end) {
				err := change()
				if err != nil && !errors.Is(err, tstore.ErrNotFound) && !errors.Is(err, tstore.ErrConflict) && !errors.Is(err, tstore.ErrDirty) {
					t.Errorf("%s: %v", name, err)
				}
				if errors.Is(err, tstore.ErrInDoubt) {
					t.Errorf("%s: %v", name, err)
				}
				if errors.Is(err, tstore.ErrNotFound) && !strings.Contains(err.Error(), `"x" not found`) {
					t.Errorf("%s: %v does not name what is missing", name, err)
				}
			}
		})
	}
	all.Go(func() {
		for time.Now().Before(end) {
			err := errors.Join(others.Create(ctx, "x", storetest.Source(t, 0, 10)), others.Replace(ctx, "x", storetest.Source(t, 0, 20)), others.Delete(ctx, "x"))
			if err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
}

// TestReplacedBeforeOpen replaces a tensor after a change has found it, and before it opens the
// file, which is gone then: that is no missing file.
func TestReplacedBeforeOpen(t *testing.T) {
	for name, do := range map[string]func(*tstore.Store) error{
		"patch":    func(s *tstore.Store) error { return s.Fill(t.Context(), "x[0]", storetest.Scalar(t, 1)) },
		"rewrite":  func(s *tstore.Store) error { return s.Fill(t.Context(), "x[1:]", storetest.Scalar(t, 1)) },
		"program":  func(s *tstore.Store) error { return storetest.Discard(s.Eval(t.Context(), "y[:9] += 1; x += 2", nil)) },
		"in place": func(s *tstore.Store) error { return storetest.WriteInPlace(t.Context(), s, "x", 1) },
		"append":   func(s *tstore.Store) error { return s.Append(t.Context(), "x", storetest.Source(t, 0, 3)) },
		"seal":     func(s *tstore.Store) error { return s.Seal(t.Context(), "x", nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := storetest.NewStore(t)
			storetest.Create(t, other, "x", storetest.Source(t, 0, 200_000))
			storetest.Create(t, other, "y", storetest.Source(t, 0, 10))
			faulty := fsx.NewFaulty(fsx.OS)
			faulty.CountReads()
			s, err := storetest.OpenOn(t.Context(), other.Dir(), faulty, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			replaced := 0
			faulty.FailIf(func(o fsx.Op) error {
				first := filepath.Base(storetest.Stat(t, other, "x").Storage.File())
				if o.Kind != fsx.OpOpen || filepath.Base(o.Path) != first || replaced == 3 {
					return nil
				}
				replaced++
				return other.Replace(t.Context(), "x", storetest.Source(t, 0, 200_000))
			})
			if err := do(s); err != nil && (name != "program" || !errors.Is(err, tstore.ErrConflict) || errors.Is(err, tstore.ErrMissing)) {
				t.Error(err)
			}
			if replaced == 0 {
				t.Error("the file was not opened")
			}
		})
	}
}

// TestMissingFile changes a tensor whose file somebody has removed.
func TestMissingFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 200_000))
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(storetest.Stat(t, s, "x").Storage.File()))); err != nil {
		t.Fatal(err)
	}
	_, writable := s.OpenWritable(t.Context(), "x")
	for name, err := range map[string]error{
		"patch":    s.Fill(t.Context(), "x[0]", storetest.Scalar(t, 1)),
		"rewrite":  s.Fill(t.Context(), "x[1:]", storetest.Scalar(t, 1)),
		"writable": writable,
		"append":   s.Append(t.Context(), "x", storetest.Source(t, 0, 3)),
		"seal":     s.Seal(t.Context(), "x", nil),
	} {
		if !errors.Is(err, tstore.ErrMissing) || errors.Is(err, tstore.ErrConflict) {
			t.Errorf("%s: got %v, want ErrMissing", name, err)
		}
	}
}
