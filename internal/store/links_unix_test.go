//go:build unix

package store_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// storeParts are the files and folders of a store, by what they are.
var storeParts = map[string]func(t *testing.T, s *tstore.Store) string{
	"data file":   func(t *testing.T, s *tstore.Store) string { return storetest.Stat(t, s, "x").Storage.File() },
	"sealed file": func(t *testing.T, s *tstore.Store) string { return storetest.Stat(t, s, "sealed").Storage.File() },
	"sums file":   func(t *testing.T, s *tstore.Store) string { return storetest.Stat(t, s, "sealed").Storage.SumsFile() },
	"folder of a data file": func(t *testing.T, s *tstore.Store) string {
		return filepath.Dir(storetest.Stat(t, s, "x").Storage.File())
	},
	"storages":   func(*testing.T, *tstore.Store) string { return "storages" },
	"tmp":        func(*testing.T, *tstore.Store) string { return "tmp" },
	"snapshots":  func(*testing.T, *tstore.Store) string { return "snapshots" },
	"lock":       func(*testing.T, *tstore.Store) string { return "lock" },
	"catalog.db": func(*testing.T, *tstore.Store) string { return "catalog.db" },
	"STORE":      func(*testing.T, *tstore.Store) string { return "STORE" },
	"reserve":    func(*testing.T, *tstore.Store) string { return "reserve" },
}

// storeCalls change a store in every way, or read it. They are run one after the other.
var storeCalls = []struct {
	name string
	call func(context.Context, *tstore.Store) error
}{
	{"get", func(ctx context.Context, s *tstore.Store) error {
		return storetest.Second(storetest.ReadAll(ctx, s, "x"))
	}},
	{"get of a snapshot", func(ctx context.Context, s *tstore.Store) error {
		return storetest.Second(storetest.ReadAll(ctx, s, "x@before"))
	}},
	{"append", func(ctx context.Context, s *tstore.Store) error {
		src, err := tstore.FromSlice([]float64{1, 2, 3}, 3)
		return errors.Join(err, s.Append(ctx, "x", src))
	}},
	{"append to sealed", func(ctx context.Context, s *tstore.Store) error {
		src, err := tstore.FromSlice([]float64{1, 2, 3}, 3)
		return errors.Join(err, s.Append(ctx, "sealed", src))
	}},
	{"resize", func(ctx context.Context, s *tstore.Store) error { return s.Resize(ctx, "y", 12_000) }},
	{"eval", storetest.Evaluates("x[1:3] += 1")},
	{"eval of all", storetest.Evaluates("x += 1; y += 1")},
	{"eval in place", storetest.EvaluatesInPlace("x[1:3] += 1")},
	{"create", func(ctx context.Context, s *tstore.Store) error {
		src, err := tstore.FromSlice(storetest.UpTo(9000), 9000)
		return errors.Join(err, s.Create(ctx, "new", src))
	}},
	{"seal", func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "x", nil) }},
	{"unseal", func(ctx context.Context, s *tstore.Store) error { return s.Unseal(ctx, "x") }},
	{"snapshot", func(ctx context.Context, s *tstore.Store) error {
		return storetest.Second(s.CreateSnapshot(ctx, "after", ""))
	}},
	{"backup", func(ctx context.Context, s *tstore.Store) error {
		return storetest.Second(s.Backup(ctx, s.Dir()+"-b", nil))
	}},
	{"backup to a tar", func(ctx context.Context, s *tstore.Store) error {
		return storetest.Second(s.Backup(ctx, s.Dir()+".tar", nil))
	}},
	{"gc", func(ctx context.Context, s *tstore.Store) error { return storetest.Second(s.GC(ctx, nil)) }},
	{"check", func(ctx context.Context, s *tstore.Store) error { return storetest.Second(s.Check(ctx)) }},
	{"verify", func(ctx context.Context, s *tstore.Store) error { return storetest.Second(s.Verify(ctx, nil)) }},
	{"repair", func(ctx context.Context, s *tstore.Store) error { return storetest.Second(s.Repair(ctx, nil)) }},
	{"sync", func(ctx context.Context, s *tstore.Store) error { return storetest.Second(s.Sync(ctx)) }},
	{"compact", func(ctx context.Context, s *tstore.Store) error { _, _, err := s.Compact(ctx); return err }},
	{"delete", func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "y") }},
	{"salvage", func(ctx context.Context, s *tstore.Store) error {
		return storetest.Second(tstore.Salvage(ctx, s.Dir(), nil))
	}},
	{"open", func(ctx context.Context, s *tstore.Store) error {
		again, err := tstore.Open(ctx, s.Dir(), nil)
		if err == nil {
			err = again.Close()
		}
		return err
	}},
	{"init", func(ctx context.Context, s *tstore.Store) error {
		return storetest.Second(tstore.Init(ctx, s.Dir(), nil))
	}},
}

// exposed is a store with all that a store can have.
func exposed(t *testing.T) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), &tstore.Options{LockTimeout: time.Second})
	storetest.Must(t, err)
	t.Cleanup(func() { s.Close() })
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 10_000))
	sealed := storetest.Source(t, 0, 600_000)
	sealed.Seal = true
	storetest.Create(t, s, "sealed", sealed)
	storetest.Must(t, storetest.Second(s.CreateSnapshot(t.Context(), "before", "")))
	storetest.Must(t, s.Fill(t.Context(), "x[0]", storetest.Scalar(t, 5)))
	return s
}

// TestLinksInStoreAreNotFollowed replaces each file and folder of a store by a link to where it was
// moved, and then uses the store in every way: nothing there changes.
func TestLinksInStoreAreNotFollowed(t *testing.T) {
	t.Parallel()
	for part, path := range storeParts {
		t.Run(part, func(t *testing.T) {
			s := exposed(t)
			// What the journal has for a file is written when the tensor is opened.
			storetest.Must(t, storetest.PutPatch(t.Context(), s, "x", catalog.Patch{Offset: 8, Bytes: make([]byte, 8)}))
			storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State = catalog.Patching }))
			outside := t.TempDir()
			own, moved := filepath.Join(s.Dir(), path(t, s)), filepath.Join(outside, "moved")
			storetest.Must(t, os.Rename(own, moved))
			storetest.Must(t, os.Symlink(moved, own))
			before := digest(t, outside)
			fresh, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{LockTimeout: time.Second})
			if err != nil {
				if !strings.Contains(err.Error(), "symbolic link") {
					t.Errorf("open: %v, want an error that tells of the link", err)
				}
				fresh = s // opened before there was a link
			} else {
				defer fresh.Close()
			}
			told := 0
			for _, c := range storeCalls {
				err := c.call(t.Context(), fresh)
				if err != nil && strings.Contains(err.Error(), "symbolic link") {
					told++
				}
				if after := digest(t, outside); after != before {
					t.Fatalf("%s (%v) changed what the link leads to:\n%s\nit was\n%s", c.name, err, after, before)
				}
				if fi, err := os.Lstat(own); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
					break // it was replaced or removed, as a file of that name would be
				}
			}
			if told == 0 && part != "reserve" {
				t.Error("no error tells of the link")
			}
		})
	}
}

// digest describes all files below a folder.
func digest(t *testing.T, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			all += name + "\n"
			return err
		}
		b, err := os.ReadFile(name)
		all += fmt.Sprintf("%s %d %x\n", name, len(b), sha256.Sum256(b))
		return err
	})
	storetest.Must(t, err)
	return all
}

// TestPipesInStoreAreNotWaitedFor replaces each file and folder of a store by a named pipe, which
// nobody has at its other end, and uses the store in every way.
func TestPipesInStoreAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	for part, path := range storeParts {
		t.Run(part, func(t *testing.T) {
			s := exposed(t)
			own := filepath.Join(s.Dir(), path(t, s))
			storetest.Must(t, os.Rename(own, own+".moved"))
			storetest.Must(t, syscall.Mkfifo(own, 0o644))
			done := make(chan string)
			go func() {
				for _, c := range storeCalls {
					done <- c.name
					_ = c.call(t.Context(), s)
				}
				close(done)
			}()
			for at, more := "", true; more; {
				var next string
				select {
				case next, more = <-done:
					at = next
				case <-time.After(20 * time.Second):
					t.Fatalf("%s hangs", at)
				}
			}
		})
	}
}
