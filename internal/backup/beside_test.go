package backup_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// TestRestoreBesideAStore has a store of somebody's where the new one is to be made: it is left
// alone.
func TestRestoreBesideAStore(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	dest := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dest, nil)
	dir := filepath.Join(t.TempDir(), "r")
	other, err := tstore.Init(t.Context(), dir+".restoring", nil)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Create(t, other, "precious", storetest.Source(t, 7, 100))
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := tstore.Restore(t.Context(), []string{dest}, dir, nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("got %v, expected ErrExists", err)
	}
	storetest.WantValues(t, storetest.OpenStore(t, dir+".restoring"), "precious[:3]", 7, 8, 9)
}

// TestRestoreTakesOver finishes what a restore left that died.
func TestRestoreTakesOver(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	dest := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dest, nil)
	for name, left := range map[string][]string{
		"an empty folder":    nil,
		"one with a lock":    {"lock"},
		"one half filled":    {"lock", "RESTORING", "storages/aa/x.npy", "tmp/catalog.db"},
		"one that was ready": {"lock", "RESTORING", "STORE", "catalog.db", "reserve"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "r")
			err := os.Mkdir(dir+".restoring", 0o755)
			for _, file := range left {
				file = filepath.Join(dir+".restoring", file)
				err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644))
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tstore.Restore(t.Context(), []string{dest}, dir, nil); err != nil {
				t.Fatal(err)
			}
			storetest.WantValues(t, storetest.OpenStore(t, dir), "x[-2:]", 8998, 8999)
			for _, gone := range []string{dir + ".restoring", filepath.Join(dir, "RESTORING")} {
				if _, err := os.Stat(gone); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s is there: %v", gone, err)
				}
			}
		})
	}
}

// TestRestoreThroughLink makes a store in the folder that a link names.
func TestRestoreThroughLink(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	dest := filepath.Join(t.TempDir(), "b")
	storetest.Backup(t, s, dest, nil)
	disk, link := filepath.Join(t.TempDir(), "disk"), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Mkdir(disk, 0o755), os.Symlink(disk, link)); err != nil {
		t.Fatal(err)
	}
	if _, err := tstore.Restore(t.Context(), []string{dest}, link, nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, storetest.OpenStore(t, disk), "x[-2:]", 8998, 8999)
}

// TestRestoreTwiceAtOnce begins a restore while another makes the same store: the second is an
// error, and the first goes on undisturbed.
func TestRestoreTwiceAtOnce(t *testing.T) {
	s := storetest.NewStore(t)
	fillStore(t, s)
	want := storetest.Contents(t, s)
	dest := filepath.Join(t.TempDir(), "b.tar")
	storetest.Backup(t, s, dest, nil)
	dir := filepath.Join(t.TempDir(), "r")
	f, err := os.Open(dest)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	second := func() {
		_, err := tstore.Restore(t.Context(), []string{dest}, dir, nil)
		if !errors.Is(err, tstore.ErrBusy) || !strings.Contains(err.Error(), "another restore") {
			t.Errorf("the second restore: %v, expected ErrBusy", err)
		}
	}
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	in := &interrupted{r: f, left: fi.Size() / 2, then: second}
	r, err := tstore.Restore(t.Context(), []string{"-"}, dir, &tstore.RestoreOptions{Stdin: in})
	if err != nil || len(r.Problems) > 0 {
		t.Fatalf("the first restore: %+v, %v", r, err)
	}
	if in.then != nil {
		t.Error("the second restore did not begin")
	}
	storetest.WantContents(t, dir, want)
}

// interrupted calls then once when left bytes have been read.
type interrupted struct {
	r    io.Reader
	left int64
	then func()
}

func (r *interrupted) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if r.left -= int64(n); r.left < 0 && r.then != nil {
		then := r.then
		r.then = nil
		then()
	}
	return n, err
}

// TestBackupsAtOnce makes a folder one for backups while another process does that.
func TestBackupsAtOnce(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 10))
	dest := filepath.Join(t.TempDir(), "b")
	faulty := fsx.NewFaulty(fsx.OS)
	late, err := storetest.OpenOn(t.Context(), s.Dir(), faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	first := false
	faulty.FailIf(func(o fsx.Op) error {
		if o.Kind == fsx.OpMkdir && o.Path == dest && !first {
			first = true
			storetest.Backup(t, s, dest, nil)
		}
		return nil
	})
	storetest.Backup(t, late, dest, nil)
	if !first {
		t.Error("nobody made a backup first")
	}
	storetest.WantValues(t, storetest.OpenStore(t, dest), "x[-1:]", 9)
}

// TestBackupBegunByTwo has a process that comes when another is making a folder one for backups,
// and dies at once: it does nothing to the file that the other is about to give its name.
func TestBackupBegunByTwo(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 10))
	dest := filepath.Join(t.TempDir(), "b")
	open := func(faulty *fsx.Faulty, o *tstore.Options) *tstore.Store {
		s, err := storetest.OpenOn(t.Context(), s.Dir(), faulty, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	first, second := fsx.NewFaulty(fsx.OS), fsx.NewFaulty(fsx.OS)
	died := open(second, &tstore.Options{LockTimeout: 300 * time.Millisecond})
	second.FailIf(func(o fsx.Op) error {
		if o.Kind == fsx.OpWrite && filepath.Base(o.Path) == "BACKUP.tmp" {
			return fsx.ErrStopped
		}
		return nil
	})
	came := false
	first.FailIf(func(o fsx.Op) error {
		if o.Kind == fsx.OpRename && filepath.Base(o.Path) == "BACKUP.tmp" {
			came = true
			if _, err := died.Backup(t.Context(), dest, nil); err == nil {
				t.Error("both have made a backup")
			}
		}
		return nil
	})
	storetest.Backup(t, open(first, nil), dest, nil)
	if !came {
		t.Error("nobody came")
	}
	storetest.Backup(t, s, dest, nil)
	storetest.WantContents(t, dest, storetest.Contents(t, s))
}
