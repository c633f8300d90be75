//go:build unix && !aix && !solaris

package catalog

import (
	"errors"
	"os"
	"syscall"
)

// errReadOnlyFS is the error of opening a file for writing on read-only media.
var errReadOnlyFS error = syscall.EROFS

// shareFile takes the lock on a file that bbolt takes for reading, without waiting, and says whether it could be had.
func shareFile(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlockFile releases the lock that bbolt or shareFile took on a file, even while a mapping keeps its description open.
func unlockFile(f *os.File) error { return flock(f, syscall.LOCK_UN) }

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
