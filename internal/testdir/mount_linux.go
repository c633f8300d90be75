package testdir

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Mount mounts a file system on a new folder until the test ends, which is skipped without the
// rights. See mount(2) for source, fsType, flags and data.
//
// The test can't be parallel: Mount panics. A process that another test starts has the open files
// of this one until it runs its program, and as long the space of deleted files is taken and the
// file system is in use.
func Mount(t testing.TB, source, fsType string, flags uintptr, data string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TSTORE_TEST_MOUNT", dir) // which parallel tests must not call
	if err := unix.Mount(source, dir, fsType, flags, data); err != nil {
		t.Skipf("can't mount %s %s here (it takes root): %v", source, fsType, err)
	}
	t.Cleanup(func() { Unmount(t, dir) })
	return dir
}

// Unmount takes a file system away that a test has mounted. One that is still in use is an error of
// the test, and goes with its last user.
func Unmount(t testing.TB, dir string) {
	t.Helper()
	err := unix.Unmount(dir, 0)
	if err == nil {
		return
	}
	t.Errorf("unmount %s: is something still open there? %v", dir, err)
	if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
		t.Errorf("detach %s: %v", dir, err)
	}
}
