package boltfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Share takes the lock on a file that bbolt takes for reading, without waiting, and says whether it
// could be had.
func Share(f *os.File) (bool, error) {
	err := control(f, func(h windows.Handle) error {
		return windows.LockFileEx(h, windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockedByte())
	})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

// Unlock releases the lock that bbolt or Share took on a file, even while a mapping keeps the file
// open.
func Unlock(f *os.File) error {
	return control(f, func(h windows.Handle) error { return windows.UnlockFileEx(h, 0, 1, 0, lockedByte()) })
}

// lockedByte is the last one that a file can have, which bbolt locks.
func lockedByte() *windows.Overlapped {
	return &windows.Overlapped{Offset: ^uint32(0), OffsetHigh: ^uint32(0)}
}

func control(f *os.File, fn func(windows.Handle) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if failed := conn.Control(func(fd uintptr) { err = fn(windows.Handle(fd)) }); failed != nil {
		return failed
	}
	return err
}
