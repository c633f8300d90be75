package fsx_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/testdir"
)

// mount mounts a fresh file system of some MiB for the test, which is skipped without the rights or
// the tools.
func mount(t *testing.T, fsType string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mounting takes root")
	}
	dir := t.TempDir()
	args := []string{"-t", "tmpfs", "-o", "size=48m", "tmpfs", dir}
	if fsType != "tmpfs" {
		args = []string{"-o", "loop", makeImage(t, fsType), dir}
	}
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		t.Skipf("mount %s: %v: %s", fsType, err, out)
	}
	t.Cleanup(func() { testdir.Unmount(t, dir) })
	return dir
}

func makeImage(t *testing.T, fsType string) string {
	t.Helper()
	f, err := os.CreateTemp("/dev/shm", "fsx-test-image-") // a busy disk makes these tests slow
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	image := f.Name()
	t.Cleanup(func() { os.Remove(image) })
	size := int64(128 * mib)
	if fsType == "xfs" || fsType == "btrfs" {
		size = 320 * mib // the least of xfs; btrfs keeps much for itself
	}
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs."+fsType, "-q", image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.%s: %v: %s", fsType, err, out)
	}
	return image
}

// TestFileSystems runs on file systems that differ in what they can clone and reserve.
func TestFileSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("mounts file systems")
	}
	for _, fsType := range []string{"tmpfs", "ext4", "ext2", "xfs", "btrfs"} {
		t.Run(fsType, func(t *testing.T) {
			dir := mount(t, fsType)
			if fsType != "tmpfs" { // has no room for two
				t.Run("clone", func(t *testing.T) { testClone(t, dir) })
			}
			t.Run("full", func(t *testing.T) { testFullDisk(t, dir) })
		})
	}
}

// testFullDisk asks for more space than there is. Trimmed or removed, the file must give everything
// back.
func testFullDisk(t *testing.T, dir string) {
	f := create(t, fsx.OS, filepath.Join(dir, "big"))
	if _, err := f.Write([]byte("head")); err != nil {
		t.Fatal(err)
	}
	if err := fsx.Reserve(f, 4, 1000*mib); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("reserve 1000 MiB: %v, want ENOSPC", err)
	}
	if err := f.Truncate(4); err != nil {
		t.Fatal(err)
	}
	checkContent(t, f, 0, []byte("head"))
	if err := fsx.Reserve(f, 4, 20*mib); err != nil {
		t.Fatalf("reserve 20 MiB after the trim: %v", err)
	}
	w := fsx.NewStreamWriter(create(t, fsx.OS, filepath.Join(dir, "stream")), 0, nil)
	err := w.ReadFrom(context.Background(), zeros{}, 1000*mib)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("stream of 1000 MiB: %v, want ENOSPC", err)
	}
}

// zeros is an endless reader.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
