package powercut_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/powercut"
)

// record runs a script on a folder that has the file "old" of four pages of zeros, and the folder
// "d".
func record(t *testing.T, database string, script func(fsys fsx.FS, dir string) error) *powercut.Log {
	t.Helper()
	dir := t.TempDir()
	err := errors.Join(os.Mkdir(filepath.Join(dir, "d"), 0o755), os.WriteFile(filepath.Join(dir, "old"), make([]byte, 4*4096), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	r, err := powercut.Record(dir, database)
	if err != nil {
		t.Fatal(err)
	}
	fsys := fsx.NewFaulty(fsx.OS)
	fsys.FailIf(r.Before)
	if err := script(fsys, dir); err != nil {
		t.Fatal(err)
	}
	r.Mark(1)
	log, err := r.Log()
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// outcomes are the different folders that a power cut can leave where the mark is at least from,
// each told by tell.
func outcomes(t *testing.T, log *powercut.Log, from int, tell func(dir string) string) []string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	dir := filepath.Join(t.TempDir(), "image")
	found := map[string]bool{}
	err := log.Cuts(func(c *powercut.Cut) error {
		for i := 0; i < 40 && c.Mark >= from; i++ {
			if err := c.Write(dir, rng, []float64{0, 1, 0.5}[i%3]); err != nil {
				return err
			}
			found[tell(dir)] = true
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(found))
}

// content is what files have, "-" for one that is not there, a dot for a zero.
func content(names ...string) func(dir string) string {
	return func(dir string) string {
		var all []byte
		for _, name := range names {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if errors.Is(err, fs.ErrNotExist) {
				b = []byte("-")
			}
			all = append(append(all, bytes.ReplaceAll(b, []byte{0}, []byte("."))...), ' ')
		}
		return string(bytes.TrimRight(all, " "))
	}
}

func write(fsys fsx.FS, name string, sync bool) error {
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte("abc"), 0)
	if sync {
		err = errors.Join(err, f.Sync())
	}
	return errors.Join(err, f.Close())
}

func TestOutcomes(t *testing.T) {
	in := filepath.Join
	tests := []struct {
		name   string
		script func(fsys fsx.FS, dir string) error
		tell   func(dir string) string
		want   []string
	}{
		{"nothing synced", func(fsys fsx.FS, dir string) error { return write(fsys, in(dir, "new"), false) },
			content("new"), []string{"", "-", "...", "abc"}},
		{"bytes synced", func(fsys fsx.FS, dir string) error { return write(fsys, in(dir, "new"), true) },
			content("new"), []string{"-", "abc"}},
		{"bytes and name synced", func(fsys fsx.FS, dir string) error {
			return errors.Join(write(fsys, in(dir, "new"), true), fsys.SyncDir(dir))
		}, content("new"), []string{"abc"}},
		{"renamed", func(fsys fsx.FS, dir string) error {
			return errors.Join(write(fsys, in(dir, "new"), true), fsys.SyncDir(dir), fsys.Rename(in(dir, "new"), in(dir, "d", "final")))
		}, content("new", "d/final"), []string{"- abc", "abc -"}},
		{"renamed and synced", func(fsys fsx.FS, dir string) error {
			return errors.Join(write(fsys, in(dir, "new"), true), fsys.Rename(in(dir, "new"), in(dir, "d", "final")), fsys.SyncDir(in(dir, "d")))
		}, content("new", "d/final"), []string{"- abc"}},
		{"removed", func(fsys fsx.FS, dir string) error {
			return errors.Join(write(fsys, in(dir, "new"), true), fsys.SyncDir(dir), fsys.Remove(in(dir, "new")))
		}, content("new"), []string{"-", "abc"}},
		{"in a folder that can be lost", func(fsys fsx.FS, dir string) error {
			return errors.Join(fsys.Mkdir(in(dir, "e"), 0o755), write(fsys, in(dir, "e", "new"), true), fsys.SyncDir(in(dir, "e")))
		}, content("e/new"), []string{"-", "abc"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, outcomes(t, record(t, "", test.script), 1, test.tell)); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCommit lets a database commit behind the Faulty's back: the meta page never comes before the
// other pages, unless the sync between them is left out.
func TestCommit(t *testing.T) {
	log := record(t, "old", func(_ fsx.FS, dir string) error {
		file := make([]byte, 4*4096)
		file[4096], file[3*4096] = 'm', 'p'
		return os.WriteFile(filepath.Join(dir, "old"), file, 0o644)
	})
	tell := func(dir string) string {
		b, err := os.ReadFile(filepath.Join(dir, "old"))
		if err != nil {
			t.Fatal(err)
		}
		return string(bytes.ReplaceAll([]byte{b[4096], b[3*4096]}, []byte{0}, []byte(".")))
	}
	if diff := cmp.Diff([]string{"..", ".p", "mp"}, outcomes(t, log, 0, tell)); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	spoilt := log.Without(powercut.Event.IsFirstDatabaseSync)
	if diff := cmp.Diff([]string{"..", ".p", "m.", "mp"}, outcomes(t, spoilt, 0, tell)); diff != "" {
		t.Errorf("outcomes without the first sync (-want +got):\n%s", diff)
	}
}

// TestAfter begins in the middle, with all before it durable.
func TestAfter(t *testing.T) {
	log := record(t, "", func(fsys fsx.FS, dir string) error { return write(fsys, filepath.Join(dir, "new"), false) })
	if diff := cmp.Diff([]string{"abc"}, outcomes(t, log.After(1), 1, content("new"))); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// TestDatabasePut makes a database, and puts another file in its place.
func TestDatabasePut(t *testing.T) {
	log := record(t, "db", func(fsys fsx.FS, dir string) error {
		name := filepath.Join(dir, "db")
		return errors.Join(
			os.WriteFile(name, []byte("one"), 0o644), fsys.SyncDir(dir),
			os.WriteFile(name+".tmp", []byte("two"), 0o644), os.Rename(name+".tmp", name))
	})
	if diff := cmp.Diff([]string{"one", "two"}, outcomes(t, log, 0, content("db"))); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"two"}, outcomes(t, log, 1, content("db"))); diff != "" {
		t.Errorf("outcomes at the end (-want +got):\n%s", diff)
	}
}

func TestTwoCommitsAtOnce(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "db")
	if err := os.WriteFile(name, make([]byte, 4*4096), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := powercut.Record(dir, "db")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.Repeat([]byte{1}, 4*4096), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Log(); err == nil {
		t.Error("two commits were taken for one")
	}
}
