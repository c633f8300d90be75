package fsx

import "io/fs"

// Identity tells whether a file is still the one that was looked at before: a file replaced,
// resized or written to differs in one of the fields, as long as the clock of its file system moved
// in between.
type Identity struct {
	Size    int64
	MTimeNs int64  // since 1970, UTC
	Inode   uint64 // 0 on Windows, as is Dev
	Dev     uint64
}

// IdentityOf returns the identity of the file that fi describes.
func IdentityOf(fi fs.FileInfo) Identity {
	ino, dev := inode(fi)
	return Identity{Size: fi.Size(), MTimeNs: fi.ModTime().UnixNano(), Inode: ino, Dev: dev}
}

// Allocated returns the bytes that the file occupies on disk, which are fewer than its size if it
// has holes, or -1 if the system doesn't say.
func Allocated(fi fs.FileInfo) int64 { return allocated(fi) }
