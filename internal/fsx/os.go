package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// OS is the file system of the operating system.
var OS FS = osFS{}

type osFS struct{}

func (osFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &osFile{File: f}, nil
}

// errPipe is the error of a named pipe where a file is read.
var errPipe = errors.New("it is a named pipe, expected a regular file")

// OpenFile is os.OpenFile, but it does not wait: to open a named pipe for reading, which is an
// error here, would wait for somebody who writes to it. On Windows the file may be renamed and
// removed while it is open, as on other systems.
func OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR) == 0 {
		if fi, err := os.Stat(name); err == nil && fi.Mode()&fs.ModeNamedPipe != 0 {
			return nil, &fs.PathError{Op: "open", Path: name, Err: errPipe}
		}
	}
	return openFile(name, flag, perm)
}

// Open is OpenFile for reading.
func Open(name string) (*os.File, error) { return OpenFile(name, os.O_RDONLY, 0) }

func (osFS) Rename(oldName, newName string) error       { return os.Rename(oldName, newName) }
func (osFS) Remove(name string) error                   { return os.Remove(name) }
func (osFS) Mkdir(name string, perm fs.FileMode) error  { return os.Mkdir(name, perm) }
func (osFS) Stat(name string) (fs.FileInfo, error)      { return os.Stat(name) }
func (osFS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (osFS) SyncDir(name string) error                  { return syncDir(name) }

// OSFile returns the operating system's file below f, which stays its owner, or nil if f is of a
// foreign kind that does not say with a method Unwrap which File it wraps.
func OSFile(f File) *os.File {
	switch f := f.(type) {
	case *osFile:
		return f.File
	case *faultyFile:
		return OSFile(f.inner)
	case interface{ Unwrap() File }:
		return OSFile(f.Unwrap())
	}
	return nil
}

type osFile struct {
	*os.File
	mu struct {
		sync.Mutex
		syncErr error // the first failure of Sync or a writeback
	}
}

func (f *osFile) Sync() error {
	if err := f.syncError(nil); err != nil {
		return err
	}
	return f.syncError(f.File.Sync())
}

func (f *osFile) WaitWriteback(off, n int64) error {
	return f.syncError(f.control("sync_file_range", func(fd int) error { return waitWriteback(fd, off, n) }))
}

// syncError remembers the first error it is given and returns it ever after.
func (f *osFile) syncError(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.syncErr == nil {
		f.mu.syncErr = err
	}
	return f.mu.syncErr
}

func (f *osFile) StartWriteback(off, n int64) error {
	return f.syncError(f.control("sync_file_range", func(fd int) error { return startWriteback(fd, off, n) }))
}

func (f *osFile) DropCache(off, n int64) {
	_ = f.control("fadvise", func(fd int) error { dropCache(fd, off, n); return nil })
}

func (f *osFile) Fallocate(off, n int64) error {
	if off < 0 || n < 0 || off+n < off {
		return fmt.Errorf("fallocate %q: offset %d, length %d: want 0 or more and a sum below 2^63", f.Name(), off, n)
	}
	if n == 0 {
		return nil
	}
	return f.control("fallocate", func(fd int) error { return fallocate(fd, off, n) })
}

func (f *osFile) CloneFrom(src File) error {
	return f.control("clone", func(fd int) error { return cloneFile(fd, src.Fd()) })
}

func (f *osFile) CopyFrom(off int64, src File, srcOff, n int64) (copied int64, err error) {
	err = f.control("copy_file_range", func(fd int) error {
		copied, err = copyFileRange(fd, off, src.Fd(), srcOff, n)
		return err
	})
	return copied, err
}

// control runs fn with the descriptor, which stays open meanwhile, and wraps its error as package
// os does.
func (f *osFile) control(op string, fn func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var fnErr error
	if err := conn.Control(func(fd uintptr) { fnErr = fn(int(fd)) }); err != nil {
		return err
	}
	if fnErr != nil {
		return &fs.PathError{Op: op, Path: f.Name(), Err: fnErr}
	}
	return nil
}
