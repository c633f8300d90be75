package tstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore"
)

// TestChangesAmidDeletes changes a tensor that others delete, make anew and
// replace all the time. A change finds it, or says that it is gone or was
// replaced; it is never in doubt, and no storage is told by its number.
func TestChangesAmidDeletes(t *testing.T) {
	s := newStore(t)
	ctx := t.Context()
	others := impatient(t, s.Dir(), 10*time.Second)
	end := time.Now().Add(700 * time.Millisecond)
	changes := map[string]func() error{
		"fill":     func() error { return s.Fill(ctx, "x", scalar(t, 1)) },
		"eval":     func() error { return discard(s.Eval(ctx, "x[:3] += 1", nil)) },
		"pick":     func() error { return discard(s.Eval(ctx, "x[[1, 2]] = 5", nil)) },
		"in place": func() error { return discard(s.Eval(ctx, "x += 1", &tstore.EvalOptions{InPlace: true})) },
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
			err := errors.Join(others.Create(ctx, "x", source(t, 0, 10)), others.Replace(ctx, "x", source(t, 0, 20)), others.Delete(ctx, "x"))
			if err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
}

// TestMissingFile changes a tensor whose file somebody has removed.
func TestMissingFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	create(t, s, "x", source(t, 0, 200_000))
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(stat(t, s, "x").Storage.File()))); err != nil {
		t.Fatal(err)
	}
	_, writable := s.OpenWritable(t.Context(), "x")
	for name, err := range map[string]error{
		"patch":    s.Fill(t.Context(), "x[0]", scalar(t, 1)),
		"rewrite":  s.Fill(t.Context(), "x[1:]", scalar(t, 1)),
		"writable": writable,
	} {
		if !errors.Is(err, tstore.ErrMissing) || errors.Is(err, tstore.ErrConflict) {
			t.Errorf("%s: got %v, want ErrMissing", name, err)
		}
	}
}
