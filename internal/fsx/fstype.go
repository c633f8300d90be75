package fsx

import (
	"os"
	"path/filepath"
	"strings"
)

// Reach says from where the files of a file system may be changed.
type Reach uint8

const (
	Local   Reach = iota // by this machine alone
	Unknown              // by programs of which nobody knows (FUSE)
	Network              // by other machines
)

// networkTypes are file systems whose files other machines, or the host of a virtual one, may
// change, as Linux and macOS call them.
var networkTypes = map[string]bool{
	"9p": true, "acfs": true, "afpfs": true, "afs": true, "beegfs": true, "beegfs_nodev": true, "ceph": true, "cifs": true, "coda": true,
	"gfs": true, "gfs2": true, "glusterfs": true, "gpfs": true, "juicefs": true, "lustre": true, "lustre_lite": true, "ncp": true,
	"ncpfs": true, "nfs": true, "nfs3": true, "nfs4": true, "ocfs2": true, "orangefs": true, "panfs": true, "prl_fs": true, "pvfs2": true,
	"smb": true, "smb2": true, "smb3": true, "smbfs": true, "vboxsf": true, "virtiofs": true, "vmhgfs": true, "webdav": true,
}

// networkPrograms are those whose FUSE file systems have their files elsewhere.
var networkPrograms = map[string]bool{
	"afs": true, "beegfs": true, "blobfuse": true, "blobfuse2": true, "ceph": true, "ceph-fuse": true, "cephfs": true, "curlftpfs": true, "davfs": true,
	"davfs2": true, "gcsfuse": true, "glusterfs": true, "goofys": true, "google-drive-ocamlfuse": true, "hdfs": true, "juicefs": true,
	"JuiceFS": true, "mfs": true, "moosefs": true, "mount-s3": true, "mountpoint-s3": true, "nfs": true, "rclone": true, "s3backer": true,
	"s3fs": true, "saunafs": true, "seaweedfs": true, "smbnetfs": true, "sshfs": true, "vmhgfs-fuse": true, "weed": true,
}

// localPrograms are those whose FUSE file systems are on this machine's disks.
var localPrograms = map[string]bool{
	"bindfs": true, "encfs": true, "exfat": true, "fuse-overlayfs": true, "fuse2fs": true, "gocryptfs": true, "lxcfs": true, "mergerfs": true,
	"ntfs-3g": true, "squashfuse": true, "zfs": true,
}

// ReachOf tells the reach of a file system by its type, such as "ext4", "nfs4" or "fuse.sshfs".
func ReachOf(fsType string) Reach {
	if networkTypes[fsType] {
		return Network
	}
	program, fuse := strings.CutPrefix(fsType, "fuse.")
	switch {
	case fuse && networkPrograms[program]:
		return Network
	case fuse && localPrograms[program]:
		return Local
	case fuse || fsType == "fuse" || fsType == "macfuse" || fsType == "osxfuse":
		return Unknown
	}
	return Local
}

// FileSystem returns the type of the file system that path is on, or "" when the system doesn't
// tell. path need not exist: then it is that of the folder that would hold it.
func FileSystem(path string) string { return fileSystem(existing(path)) }

// existing returns the longest leading part of a path that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
