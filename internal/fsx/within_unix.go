//go:build unix

package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow are the flags of each name inside the folder. Opening waits for nobody: a pipe would.
const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC

// errKind is the error of a socket or a device.
var errKind = errors.New("it is a socket or a device, expected a regular file")

// at runs fn with a descriptor of the folder that holds p, and its name there. Each folder on the
// way is opened in the one before, so that no link is followed, whoever changes them meanwhile.
func (p location) at(op string, fn func(dir int, name string) error) error {
	if p.folder == "" {
		return p.failed(op, p.rel, fn(unix.AT_FDCWD, p.rel))
	}

	dir, err := openat(unix.AT_FDCWD, p.folder, searchFolder|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: op, Path: p.folder, Err: err}
	}

	// Close each folder as soon as the next one is open. dir is always the one folder that is held.
	left := p.rel
	for {
		name, rest, more := strings.Cut(left, "/")
		if !more {
			break
		}
		next, err := openat(dir, name, searchFolder|unix.O_DIRECTORY|noFollow, 0)
		if err != nil {
			err = p.failed(op, p.rel[:len(p.rel)-len(rest)-1], explain(dir, name, err))
		}
		unix.Close(dir)
		if err != nil {
			return err
		}
		dir, left = next, rest
	}

	defer unix.Close(dir)
	return p.failed(op, p.rel, explain(dir, left, fn(dir, left)))
}

// failed wraps err with the operation and the path inside the folder.
func (p location) failed(op, rel string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: filepath.Join(p.folder, rel), Err: err}
}

// explain returns a better error than err if a name can't be opened because of what it is.
func explain(dir int, name string, err error) error {
	switch err {
	case unix.ELOOP, unix.EMLINK, unix.ENOTDIR, unix.ENXIO:
	default:
		return err
	}
	var st unix.Stat_t
	if unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return err
	}
	if wrong := wrongKind(&st); wrong != nil {
		return wrong
	}
	return err
}

// wrongKind returns an error unless st describes a file or a folder.
func wrongKind(st *unix.Stat_t) error {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG, unix.S_IFDIR:
		return nil
	case unix.S_IFLNK:
		return ErrLink
	case unix.S_IFIFO:
		return errPipe
	}
	return errKind
}

func (p location) open(name string, flag int, perm fs.FileMode) (f *os.File, err error) {
	err = p.at("open", func(dir int, last string) error {
		fd, err := openat(dir, last, flag|noFollow, uint32(perm.Perm()))
		if err != nil {
			return err
		}
		if err := setBlocking(fd); err != nil {
			unix.Close(fd)
			return err
		}
		f = os.NewFile(uintptr(fd), name)
		return nil
	})
	return f, err
}

// setBlocking makes fd, which was opened without waiting, an ordinary descriptor. It returns an
// error unless fd is a file or a folder.
func setBlocking(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if err := wrongKind(&st); err != nil {
		return err
	}
	return unix.SetNonblock(fd, false)
}

func rename(from, to location) error {
	return from.at("rename", func(fromDir int, fromName string) error {
		return to.at("rename", func(toDir int, toName string) error {
			return unix.Renameat(fromDir, fromName, toDir, toName)
		})
	})
}

// remove removes the name itself, also if it is a link.
func (p location) remove() error {
	return p.at("remove", func(dir int, name string) error {
		err := unix.Unlinkat(dir, name, 0)
		if err == unix.EISDIR || err == unix.EPERM { // a folder, on Linux and elsewhere
			if asDir := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR); asDir != unix.ENOTDIR {
				return asDir
			}
		}
		return err
	})
}

func (p location) mkdir(perm fs.FileMode) error {
	return p.at("mkdir", func(dir int, name string) error { return unix.Mkdirat(dir, name, uint32(perm.Perm())) })
}

// check returns an error unless everything on the way to p is a folder.
func (p location) check() error { return p.at("stat", func(int, string) error { return nil }) }

func (p location) syncDir(name string) error {
	d, err := p.open(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer d.Close()
	return syncOpenDir(d)
}

// openat opens a name, and tries again after a signal.
func openat(dir int, name string, flag int, perm uint32) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flag, perm)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}
