//go:build linux || darwin

package filelock

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// openFile opens path for a lock in the given mode, and makes it if it is missing. It returns a
// bare descriptor, as the finalizer of an *os.File would unlock a byte that is still meant to be
// held. A link is not followed, and a pipe not waited for.
func openFile(path string, mode Mode) (int, error) {
	fd, err := openAny(path, mode)
	if err == unix.ELOOP || err == unix.EMLINK || err == unix.ENXIO {
		return -1, errKind
	}
	if err != nil {
		return -1, err
	}

	// An open of a pipe or a device succeeds: look at what was opened.
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errKind
	}
	if err != nil {
		closeFile(fd)
		return -1, err
	}

	return fd, nil
}

func openAny(path string, mode Mode) (int, error) {
	flag := unix.O_RDONLY | unix.O_CLOEXEC | unix.O_NOFOLLOW | unix.O_NONBLOCK
	if mode == Exclusive {
		flag |= unix.O_RDWR
	}

	// Read before write, and make the file only if it is missing: a file that another user made may
	// not be writable, and need not be.
	for {
		fd, err := unix.Open(path, flag, 0o666)
		switch err {
		case unix.EINTR:
		case unix.ENOENT:
			if flag&unix.O_CREAT != 0 {
				return -1, err
			}
			flag |= unix.O_CREAT
		default:
			return fd, err
		}
	}
}

func closeFile(fd int) error { return unix.Close(fd) }

// setLock locks the byte or fails with ErrHeld at once.
func setLock(fd int, off int64, mode Mode) error {
	return control(fd, ofdSetLock, off, lockType(mode))
}

// waitLock locks the byte, waiting in the kernel as long as that takes.
func waitLock(fd int, off int64, mode Mode) error {
	return control(fd, ofdSetLockWait, off, lockType(mode))
}

// queryLock reports whether a lock of another description excludes one on the byte.
func queryLock(fd int, off int64, mode Mode) (taken bool, err error) {
	l := unix.Flock_t{Type: lockType(mode), Whence: io.SeekStart, Start: off, Len: 1}
	err = controlLock(fd, ofdGetLock, &l)
	return l.Type != unix.F_UNLCK, err
}

// release unlocks all bytes of fd and closes it. Closing alone is not enough: a child between fork
// and exec shares the open file description, and with it the locks.
func release(fd int, _ int64) error {
	l := unix.Flock_t{Type: unix.F_UNLCK, Whence: io.SeekStart}
	unlockErr := unix.FcntlFlock(uintptr(fd), ofdSetLock, &l)
	if err := errors.Join(unlockErr, closeFile(fd)); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	return nil
}

// isNamed reports whether path names the open file.
func isNamed(fd int, path string) (bool, error) {
	var open, named unix.Stat_t
	if err := unix.Fstat(fd, &open); err != nil {
		return false, err
	}
	err := unix.Stat(path, &named)
	if err == unix.ENOENT {
		return false, nil
	}
	return err == nil && open.Dev == named.Dev && open.Ino == named.Ino, err
}

func lockType(mode Mode) int16 {
	if mode == Exclusive {
		return unix.F_WRLCK
	}
	return unix.F_RDLCK
}

func control(fd, cmd int, off int64, lockType int16) error {
	l := unix.Flock_t{Type: lockType, Whence: io.SeekStart, Start: off, Len: 1}
	return controlLock(fd, cmd, &l)
}

func controlLock(fd, cmd int, l *unix.Flock_t) error {
	for {
		switch err := unix.FcntlFlock(uintptr(fd), cmd, l); err {
		case unix.EINTR:
		case unix.EAGAIN, unix.EACCES:
			return ErrHeld
		case unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP, unix.ENOLCK:
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		default:
			return err
		}
	}
}
