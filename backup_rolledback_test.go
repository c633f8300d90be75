package tstore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
)

// putBack makes a store, which nobody has open, what it was when it was copied to kept. Files that
// are there keep their inodes, as they do when a file system or a virtual machine goes back to a
// snapshot.
func putBack(t testing.TB, dir, kept string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if _, gone := os.Stat(filepath.Join(kept, rel)); err == nil && gone != nil {
			err = os.Remove(path)
		}
		return err
	}))
	must(t, filepath.WalkDir(kept, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(kept, path)
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(filepath.Join(dir, rel), 0o755))
		}
		b, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(filepath.Join(dir, rel), b, 0o644))
	}))
}

// changeAll changes tensors of all kinds to elements that depend on v, and takes the same steps for
// each v.
func changeAll(t testing.TB, s *tstore.Store, v float64) {
	t.Helper()
	ctx := t.Context()
	must(t, s.Fill(ctx, "open[3]", scalar(t, v)))
	must(t, s.Append(ctx, "log", source(t, v, 5, 2)))
	must(t, s.Append(ctx, "sealed", source(t, v, 10)))
	must(t, s.Fill(ctx, "small/one", scalar(t, v)))
	snapshot(t, s, "later")
	must(t, s.Fill(ctx, "open", scalar(t, v)))
	must(t, s.Unseal(ctx, "sealed"))
	must(t, s.Fill(ctx, "sealed[7]", scalar(t, v)))
}

// TestBackupOfRolledBackStore backs a store up, puts a copy from before in its place, and changes
// that in the same way to other elements: no number tells the two apart.
func TestBackupOfRolledBackStore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		copied int  // which backup the copy is made after
		tar    bool // the others are made with Since
	}{
		{"before the first backup", 0, false},
		{"after a backup", 1, false},
		{"since, before the first backup", 0, true},
		{"since, after a backup", 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			fillStore(t, s)
			b := &rolledBack{dir: t.TempDir(), tar: c.tar}
			kept := filepath.Join(t.TempDir(), "kept")
			for n := range 2 {
				if n == c.copied {
					must(t, s.Close())
					must(t, os.CopyFS(kept, os.DirFS(s.Dir())))
					s = openStore(t, s.Dir())
				}
				if n == 1 {
					changeAll(t, s, 1)
				}
				b.next(t, s)
			}

			must(t, s.Close())
			putBack(t, s.Dir(), kept)
			s = openStore(t, s.Dir())
			changeAll(t, s, 2)
			if r := b.next(t, s); !r.Unknown {
				t.Errorf("the backup before is taken for one that the store knows: %+v", r)
			}
			must(t, s.Append(t.Context(), "log", source(t, 9, 1, 2)))
			if r := b.next(t, s); r.Unknown || r.CopiedBytes > 128<<10 {
				t.Errorf("the next one copied %+v, expected what was changed", r)
			}
		})
	}
}

// rolledBack makes backups after each other, in one folder or in tars.
type rolledBack struct {
	dir  string
	tar  bool
	tars []string
}

// next makes the next backup, and expects that a store is restored as it is.
func (b *rolledBack) next(t *testing.T, s *tstore.Store) *tstore.BackupReport {
	t.Helper()
	dest, o := filepath.Join(b.dir, "folder"), &tstore.BackupOptions{}
	if b.tar {
		if len(b.tars) > 0 {
			o.Since = b.tars[len(b.tars)-1]
		}
		dest = filepath.Join(b.dir, string(rune('a'+len(b.tars)))+".tar")
		b.tars = append(b.tars, dest)
	} else {
		b.tars = []string{dest}
	}
	r := backup(t, s, dest, o)
	wantContents(t, restoreTo(t, b.tars...), contents(t, s))
	return r
}

// TestReadOnlyBackupsOfRolledBackStore makes backups for which nothing is written to the store,
// which so does not know them: one that has not changed is told by its catalog, and so is one that
// took the same steps again.
func TestReadOnlyBackupsOfRolledBackStore(t *testing.T) {
	for _, again := range []bool{false, true} {
		s := newStore(t)
		ctx, dir := t.Context(), s.Dir()
		create(t, s, "x", source(t, 0, 30_000))
		create(t, s, "y", source(t, 0, 30_000))
		must(t, s.Close())
		kept := filepath.Join(t.TempDir(), "kept")
		must(t, os.CopyFS(kept, os.DirFS(dir)))

		b := &rolledBack{dir: t.TempDir()}
		for n := range 2 {
			if n == 0 || again {
				putBack(t, dir, kept)
				s := openStore(t, dir)
				must(t, s.Fill(ctx, "x[3]", scalar(t, float64(n))))
				for range 8 { // until the catalog has no trace of what was written there
					must(t, s.Fill(ctx, "y[3]", scalar(t, 7)))
				}
				must(t, s.Close())
			}
			r := b.next(t, openReadOnly(t, dir))
			if n == 1 && (r.Copied == 1) == again {
				t.Errorf("changed again: %v: copied %+v", again, r)
			}
		}
	}
}
