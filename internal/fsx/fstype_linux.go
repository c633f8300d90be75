package fsx

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// localMagics are the numbers of common local file systems, of which the name is not needed: most
// stores are there, and statfs costs a hundredth of reading the mounts.
var localMagics = map[uint32]string{
	unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs",
	unix.F2FS_SUPER_MAGIC: "f2fs", unix.OVERLAYFS_SUPER_MAGIC: "overlay",
}

// otherMagics are the numbers of network file systems, for where the mounts can't be read.
var otherMagics = map[uint32]string{
	unix.NFS_SUPER_MAGIC: "nfs", unix.CIFS_SUPER_MAGIC: "cifs", unix.SMB2_SUPER_MAGIC: "smb3", unix.SMB_SUPER_MAGIC: "smbfs",
	unix.CEPH_SUPER_MAGIC: "ceph", unix.AFS_SUPER_MAGIC: "afs", unix.AFS_FS_MAGIC: "afs", unix.V9FS_MAGIC: "9p", unix.CODA_SUPER_MAGIC: "coda",
	unix.OCFS2_SUPER_MAGIC: "ocfs2", unix.FUSE_SUPER_MAGIC: "fuse", 0x0bd00bd0: "lustre", 0x47504653: "gpfs", 0x19830326: "beegfs",
	0x20030528: "orangefs", 0x01161970: "gfs2", 0x564c: "ncpfs",
}

func fileSystem(path string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return ""
	}
	magic := uint32(st.Type)
	if name := localMagics[magic]; name != "" {
		return name
	}
	if name := mountedType(path); name != "" {
		return name
	}
	return otherMagics[magic]
}

// mountedType returns the type that the list of mounts has for a path, or "".
func mountedType(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	var st unix.Stat_t
	if err := unix.Stat(real, &st); err != nil {
		return ""
	}
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	return mountType(string(text), real, unix.Major(st.Dev), unix.Minor(st.Dev))
}
