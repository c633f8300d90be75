package fsx_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tstore/tstore/internal/fsx"
)

// TestWithin replaces each part of a path by a link that leads to another folder or file: no
// operation gets there.
func TestWithin(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links takes a privilege")
	}
	operations := map[string]func(fsx.FS, string) error{
		"read":   func(w fsx.FS, name string) error { return tryOpen(w, name, os.O_RDONLY) },
		"write":  func(w fsx.FS, name string) error { return tryOpen(w, name, os.O_RDWR) },
		"cut":    func(w fsx.FS, name string) error { return tryOpen(w, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC) },
		"create": func(w fsx.FS, name string) error { return tryOpen(w, name+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL) },
		"stat":   func(w fsx.FS, name string) error { _, err := w.Stat(name); return err },
		"list":   func(w fsx.FS, name string) error { _, err := w.ReadDir(filepath.Dir(name)); return err },
		"sync":   func(w fsx.FS, name string) error { return w.SyncDir(filepath.Dir(name)) },
		"rename": func(w fsx.FS, name string) error { return w.Rename(name, name+".2") },
		"mkdir":  func(w fsx.FS, name string) error { return w.Mkdir(name+".dir", 0o755) },
		"remove": func(w fsx.FS, name string) error { return w.Remove(name) },
	}
	for what, do := range operations {
		dir, other := filepath.Join(t.TempDir(), "store"), t.TempDir()
		write(t, filepath.Join(other, "f"), "secret")
		write(t, filepath.Join(other, "b", "f"), "secret")
		write(t, filepath.Join(dir, "a", "b", "f"), "own")
		w := fsx.Within(fsx.OS, dir)
		if err := do(w, filepath.Join(dir, "a", "b", "f")); err != nil {
			t.Errorf("%s of what is no link: %v", what, err)
		}
		for part, target := range map[string]string{"a": other, "a/b": other, "a/b/f": filepath.Join(other, "f")} {
			link := filepath.Join(dir, filepath.FromSlash(part))
			fresh(t, dir)
			if err := errors.Join(os.RemoveAll(link), os.Symlink(target, link)); err != nil {
				t.Fatal(err)
			}
			before := tree(t, other)
			err := do(w, filepath.Join(dir, "a", "b", "f"))
			onName := part == "a/b/f" && what != "read" && what != "write" && what != "cut" && what != "stat"
			var named *fs.PathError
			switch {
			case onName && err != nil:
				t.Errorf("%s of a link, or beside one: %v", what, err)
			case !onName && !errors.Is(err, fsx.ErrLink):
				t.Errorf("%s through the link %s: %v, want ErrLink", what, part, err)
			case !onName && (!errors.As(err, &named) || named.Path != link):
				t.Errorf("%s through the link %s: %v names another path", what, part, err)
			}
			if after := tree(t, other); after != before {
				t.Errorf("%s through the link %s: there is %s now", what, part, after)
			}
		}
	}
}

func tryOpen(w fsx.FS, name string, flag int) error {
	f, err := w.OpenFile(name, flag, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// fresh makes the folder anew with the one file that it has.
func fresh(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a", "b", "f"), "own")
}

// tree is all that is in a folder, as text.
func tree(t *testing.T, dir string) (all string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b, failed := os.ReadFile(name)
			all, err = all+name+": "+string(b)+"\n", failed
		} else {
			all += name + "\n"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWithinIsReachedByLink: the folder itself may be behind a link, and so may what is outside.
func TestWithinIsReachedByLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links takes a privilege")
	}
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	write(t, filepath.Join(real, "a", "f"), "own")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	w := fsx.Within(fsx.OS, filepath.Join(link, "a"))
	if err := tryOpen(w, filepath.Join(link, "a", "f"), os.O_RDWR); err != nil {
		t.Error(err)
	}
	outside := filepath.Join(t.TempDir(), "f")
	if err := os.Symlink(filepath.Join(real, "a", "f"), outside); err != nil {
		t.Fatal(err)
	}
	if err := tryOpen(w, outside, os.O_RDONLY); err != nil {
		t.Error(err)
	}
}
