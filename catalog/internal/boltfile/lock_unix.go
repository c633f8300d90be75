//go:build unix && !aix && !solaris

package boltfile

import (
	"errors"
	"os"
	"syscall"
)

// Share takes the lock on a file that bbolt takes for reading, without waiting, and says whether it
// could be had.
func Share(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// Unlock releases the lock that bbolt or Share took on a file, even while a mapping keeps its
// description open.
func Unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Control(func(fd uintptr) { err = syscall.Flock(int(fd), how) })
	if failed != nil {
		return failed
	}
	return err
}
