package backup_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// putBack makes a store, which nobody has open, what it was when it was copied to kept. Files that
// are there keep their inodes, as they do when a file system or a virtual machine goes back to a
// snapshot.
func putBack(t testing.TB, dir, kept string) {
	t.Helper()
	storetest.Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if _, gone := os.Stat(filepath.Join(kept, rel)); err == nil && gone != nil {
			err = os.Remove(path)
		}
		return err
	}))
	storetest.Must(t, filepath.WalkDir(kept, func(path string, d fs.DirEntry, err error) error {
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
	storetest.Must(t, s.Fill(ctx, "open[3]", storetest.Scalar(t, v)))
	storetest.Must(t, s.Append(ctx, "log", storetest.Source(t, v, 5, 2)))
	storetest.Must(t, s.Append(ctx, "sealed", storetest.Source(t, v, 10)))
	storetest.Must(t, s.Fill(ctx, "small/one", storetest.Scalar(t, v)))
	storetest.Snapshot(t, s, "later")
	storetest.Must(t, s.Fill(ctx, "open", storetest.Scalar(t, v)))
	storetest.Must(t, s.Unseal(ctx, "sealed"))
	storetest.Must(t, s.Fill(ctx, "sealed[7]", storetest.Scalar(t, v)))
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
		if !*storetest.WholeSweeps && c.tar == (c.copied == 0) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			s := storetest.NewStore(t)
			fillStore(t, s)
			b := &rolledBack{dir: t.TempDir(), tar: c.tar}
			kept := filepath.Join(t.TempDir(), "kept")
			for n := range 2 {
				if n == c.copied {
					storetest.Must(t, s.Close())
					storetest.Must(t, os.CopyFS(kept, os.DirFS(s.Dir())))
					s = storetest.OpenStore(t, s.Dir())
				}
				if n == 1 {
					changeAll(t, s, 1)
				}
				b.next(t, s)
			}

			storetest.Must(t, s.Close())
			putBack(t, s.Dir(), kept)
			s = storetest.OpenStore(t, s.Dir())
			changeAll(t, s, 2)
			if r := b.next(t, s); !r.Unknown {
				t.Errorf("the backup before is taken for one that the store knows: %+v", r)
			}
			storetest.Must(t, s.Append(t.Context(), "log", storetest.Source(t, 9, 1, 2)))
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
	r := storetest.Backup(t, s, dest, o)
	storetest.WantContents(t, storetest.RestoreTo(t, b.tars...), storetest.Contents(t, s))
	return r
}

// TestReadOnlyBackupsOfRolledBackStore makes backups for which nothing is written to the store,
// which so does not know them: one that has not changed is told by its catalog, and so is one that
// took the same steps again.
func TestReadOnlyBackupsOfRolledBackStore(t *testing.T) {
	for _, again := range []bool{false, true} {
		s := storetest.NewStore(t)
		ctx, dir := t.Context(), s.Dir()
		storetest.Create(t, s, "x", storetest.Source(t, 0, 30_000))
		storetest.Create(t, s, "y", storetest.Source(t, 0, 30_000))
		storetest.Must(t, s.Close())
		kept := filepath.Join(t.TempDir(), "kept")
		storetest.Must(t, os.CopyFS(kept, os.DirFS(dir)))

		b := &rolledBack{dir: t.TempDir()}
		for n := range 2 {
			if n == 0 || again {
				putBack(t, dir, kept)
				s := storetest.OpenStore(t, dir)
				storetest.Must(t, s.Fill(ctx, "x[3]", storetest.Scalar(t, float64(n))))
				for range 8 { // until the catalog has no trace of what was written there
					storetest.Must(t, s.Fill(ctx, "y[3]", storetest.Scalar(t, 7)))
				}
				storetest.Must(t, s.Close())
			}
			r := b.next(t, openReadOnly(t, dir))
			if n == 1 && (r.Copied == 1) == again {
				t.Errorf("changed again: %v: copied %+v", again, r)
			}
		}
	}
}
