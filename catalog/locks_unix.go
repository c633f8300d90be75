//go:build unix && !aix && !solaris

package catalog

import (
	"os"
	"syscall"
)

// errReadOnlyFS is the error of opening a file for writing on read-only media.
var errReadOnlyFS error = syscall.EROFS

// unlockFile releases the lock that bbolt took on a file, even while a mapping keeps its description open.
func unlockFile(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Control(func(fd uintptr) { err = syscall.Flock(int(fd), syscall.LOCK_UN) })
	if failed != nil {
		return failed
	}
	return err
}
