package tstore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReadOnlyFolder reads a store in a folder where nothing can be written: for root by a mount, else by permissions.
func TestReadOnlyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	prepare(t, dir)
	if os.Geteuid() == 0 {
		there := t.TempDir()
		err := unix.Mount(dir, there, "", unix.MS_BIND, "")
		if err != nil {
			t.Skipf("can't mount here: %v", err)
		}
		t.Cleanup(func() {
			if err := unix.Unmount(there, 0); err != nil {
				t.Error(err)
			}
		})
		if err := unix.Mount("", there, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
			t.Skipf("can't mount read-only here: %v", err)
		}
		wantReadable(t, there)
		return
	}
	permit := func(file, folder fs.FileMode) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, folder)
			}
			return errors.Join(err, os.Chmod(path, file))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	permit(0o444, 0o555)
	t.Cleanup(func() { permit(0o644, 0o755) })
	wantReadable(t, dir)
}
