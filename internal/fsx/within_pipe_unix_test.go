//go:build unix

package fsx_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tstore/tstore/internal/fsx"
)

// TestWithinWaitsForNobody opens a pipe in the place of a file and of a folder.
func TestWithinWaitsForNobody(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	w := fsx.Within(fsx.OS, dir)
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_CREATE | os.O_TRUNC} {
		for _, name := range []string{pipe, filepath.Join(pipe, "f")} {
			if err := tryOpen(w, name, flag); err == nil {
				t.Errorf("opened %q with %#x", name, flag)
			}
		}
	}
	if _, err := w.ReadDir(pipe); err == nil {
		t.Error("a pipe was listed")
	}
}

// BenchmarkWithinOpen opens a file two folders down, without and with a look at each for links.
func BenchmarkWithinOpen(b *testing.B) {
	dir := b.TempDir()
	name := filepath.Join(dir, "storages", "ab", "f")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		b.Fatal(err)
	}
	for what, fsys := range map[string]fsx.FS{"links": fsx.OS, "no links": fsx.Within(fsx.OS, dir)} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				if err := tryOpen(fsys, name, os.O_RDONLY); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
