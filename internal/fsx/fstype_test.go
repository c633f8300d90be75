package fsx_test

import (
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/internal/fsx"
)

func TestReachOf(t *testing.T) {
	for want, types := range map[fsx.Reach][]string{
		fsx.Local:   {"ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "apfs", "fuseblk", "fuse.ntfs-3g", "", "something new"},
		fsx.Unknown: {"fuse", "fuse.something", "macfuse"},
		fsx.Network: {"nfs", "nfs4", "cifs", "smb3", "lustre", "ceph", "gpfs", "beegfs", "afs", "9p", "virtiofs", "fuse.glusterfs", "fuse.sshfs",
			"fuse.ceph-fuse", "fuse.juicefs", "fuse.s3fs", "fuse.rclone", "fuse.goofys", "fuse.gcsfuse", "fuse.mount-s3"},
	} {
		for _, name := range types {
			if got := fsx.ReachOf(name); got != want {
				t.Errorf("%q: got %v, want %v", name, got, want)
			}
		}
	}
}

// TestFileSystem: a folder that is not there yet is on the file system of the one that would hold
// it.
func TestFileSystem(t *testing.T) {
	dir := t.TempDir()
	if here, there := fsx.FileSystem(dir), fsx.FileSystem(filepath.Join(dir, "a", "b")); here != there {
		t.Errorf("%q is on %q, what will be in it on %q", dir, here, there)
	}
}

func BenchmarkFileSystem(b *testing.B) {
	for b.Loop() {
		fsx.FileSystem(".")
	}
}
