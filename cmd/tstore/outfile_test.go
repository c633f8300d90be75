package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// TestWriteFileWhereOneCame makes a file while another one gets the name: that is replaced only by
// force.
func TestWriteFileWhereOneCame(t *testing.T) {
	for _, force := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "x.npy")
		err := writeFile(t.Context(), path, force, 4, func(w io.Writer) error {
			if err := os.WriteFile(path, []byte("came"), 0o644); err != nil {
				return err
			}
			return writes("made")(w)
		})
		if (err == nil) != force || err != nil && !strings.Contains(err.Error(), "is there already") {
			t.Errorf("force %v: %v", force, err)
		}
		want := map[bool]string{false: "came", true: "made"}[force]
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("force %v: the file holds %q, %v, want %q", force, b, err, want)
		}
		wantEntries(t, filepath.Dir(path), 1)
	}
}

// TestWriteFileNamed makes a file that has a name from the start, as where the system has no
// others.
func TestWriteFileNamed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	for i, put := range []func(f *outFile) error{
		func(f *outFile) error { return f.create(name) },
		func(f *outFile) error { return f.replace(name, 0o600) },
		func(f *outFile) error { return f.rename(name) },
	} {
		f, err := createNamed(filepath.Join(dir, "tmp"))
		if err != nil {
			t.Fatal(err)
		}
		text := string('a' + rune(i))
		if err := f.fill(1, writes(text)); err != nil {
			t.Fatal(err)
		}
		if err := put(f); err != nil {
			t.Error(err)
		}
		if err := f.close(); err != nil {
			t.Error(err)
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != text {
			t.Errorf("the file holds %q, %v, want %q", b, err, text)
		}
		wantEntries(t, dir, 1)
	}
	f, err := createNamed(filepath.Join(dir, "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.create(name); !os.IsExist(err) {
		t.Errorf("created over another file: %v", err)
	}
	if err := f.close(); err != nil {
		t.Error(err)
	}
	wantEntries(t, dir, 1)
}

// TestWriteFileThroughLinks leaves links what they are, and writes to where they lead.
func TestWriteFileThroughLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take a privilege there")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "to"), 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	for name, to := range map[string]string{link: "second", filepath.Join(dir, "second"): "to/x", filepath.Join(dir, "round"): "round"} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	end := filepath.Join(dir, "to", "x")
	if err := writeFile(t.Context(), link, false, 1, writes("a")); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(t.Context(), link, false, 1, writes("b")); err == nil {
		t.Error("replaced what is behind a link, unasked")
	}
	if err := os.Chmod(end, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(t.Context(), link, true, 1, writes("c")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(end); err != nil || string(b) != "c" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if fi, err := os.Stat(end); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v: who may read it has changed", fi.Mode(), err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", fi.Mode(), err)
	}
	if err := writeFile(t.Context(), filepath.Join(dir, "round"), true, 1, writes("d")); err == nil {
		t.Error("wrote to a link that leads to itself")
	}
	wantEntries(t, filepath.Dir(end), 1)
}

// TestWriteFileLongName has no room for more than the name itself.
func TestWriteFileLongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 251)+".npy")
	for range 2 {
		if err := writeFile(t.Context(), path, true, 1, writes("a")); err != nil {
			t.Fatal(err)
		}
	}
}

func wantEntries(t *testing.T, dir string, n int) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != n {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}
