package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/internal/testdir"
)

// TestReadOnlyFolder reads a store in a folder where nothing can be written: for root by a mount,
// else by permissions.
func TestReadOnlyFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	storetest.Prepare(t, dir)
	if os.Geteuid() == 0 {
		there := mountAgain(t, dir)
		forbidWriting(t, there)
		storetest.WantReadable(t, there)
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
	storetest.WantReadable(t, dir)
}

// mountAgain mounts a folder in another place.
func mountAgain(t *testing.T, dir string) string {
	t.Helper()
	return testdir.Mount(t, dir, "", unix.MS_BIND, "")
}

// forbidWriting makes a mounted folder one that nothing can be written to, as the system does after
// errors of a disk.
func forbidWriting(t *testing.T, there string) {
	t.Helper()
	if err := unix.Mount("", there, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("can't mount read-only here: %v", err)
	}
}

// TestBackupOfFolderTurnedReadOnly backs a store up where nothing can be written any more since it
// was opened for writing.
func TestBackupOfFolderTurnedReadOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	storetest.PrepareSnapshot(t, dir)
	there := mountAgain(t, dir)
	s, err := tstore.Open(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Create(t, s, "last", storetest.Source(t, 0, 3))
	forbidWriting(t, there)
	if err := s.Create(t.Context(), "new", storetest.Source(t, 0, 3)); !errors.Is(err, unix.EROFS) {
		t.Errorf("create: %v, expected EROFS", err)
	}
	storetest.BackUpAll(t, s, t.TempDir(), storetest.Contents(t, s))
}
