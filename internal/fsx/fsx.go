package fsx

import (
	"io"
	"io/fs"
)

// FS is the part of a file system that a store uses. Names are paths as package os takes them,
// errors are those of package os (so errors.Is with fs.ErrNotExist and the like works). All methods
// may be called at the same time.
type FS interface {
	// OpenFile opens name as os.OpenFile does. The descriptor is closed in executed children.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// Rename moves a file, replacing newName if that is a file. It is durable after SyncDir of both
	// directories.
	Rename(oldName, newName string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// Mkdir makes one directory, which is durable after SyncDir of its parent.
	Mkdir(name string, perm fs.FileMode) error
	Stat(name string) (fs.FileInfo, error)
	// ReadDir lists a directory, sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// SyncDir makes the entries of a directory durable: files made, renamed and removed in it. It
	// does nothing on Windows and on file systems that can't do it.
	SyncDir(name string) error
}

// File is an open file. ReadAt, WriteAt, Sync, Fallocate and the methods on ranges may be called at
// the same time. Offsets and lengths are in bytes.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.WriterAt
	io.Seeker
	io.Closer
	// Name returns the name given to OpenFile.
	Name() string
	Stat() (fs.FileInfo, error)
	Chmod(mode fs.FileMode) error
	// Truncate sets the size. New bytes are a hole of zeros, which reserves no space.
	Truncate(size int64) error
	// Sync makes bytes and size durable. An error is final: the kernel forgets a failed write once
	// it has reported it, so a later fsync that succeeds means nothing. Once Sync or WaitWriteback
	// has failed, every further Sync of this File fails with the same error.
	Sync() error
	// Fallocate reserves space for [off, off+n) and extends the size to at least off+n; bytes there
	// keep their value, new ones are zero. It fails with [ErrFallocateUnsupported], or with ENOSPC,
	// after which size and space are undefined: the caller trims the file with Truncate or removes
	// it.
	Fallocate(off, n int64) error
	// StartWriteback asks for dirty bytes of the range to be written to disk, without waiting. Like
	// the next two it is for pacing only, promises no durability and does nothing on systems other
	// than Linux. It and WaitWriteback report write errors in place of a later Sync, and as
	// finally.
	StartWriteback(off, n int64) error
	// WaitWriteback waits until no byte of the range is dirty any more.
	WaitWriteback(off, n int64) error
	// DropCache lets clean pages of the range leave the page cache. It is only a hint.
	DropCache(off, n int64)
	// CloneFrom makes this empty file share all bytes of src (FICLONE). It fails with
	// [ErrCloneUnsupported] where the two files can't share.
	CloneFrom(src File) error
	// CopyFrom copies up to n bytes inside the kernel (copy_file_range) and returns how many. It
	// fails with [ErrCloneUnsupported] where that can't be done, and returns 0 at the end of src.
	CopyFrom(off int64, src File, srcOff, n int64) (int64, error)
	// Fd returns the descriptor, valid until Close.
	Fd() uintptr
}
