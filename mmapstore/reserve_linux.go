package mmapstore

import (
	"os"

	"golang.org/x/sys/unix"
)

// preallocate reserves the space of [off, off+n) and lengthens f to hold it.
func preallocate(f *os.File, off, n int64) error { return fallocate(f, 0, off, n) }

// allocatePage finds space for stores to [off, off+n) without changing the length of f.
func allocatePage(f *os.File, off, n int64) error {
	err := fallocate(f, unix.FALLOC_FL_KEEP_SIZE, off, n)
	if err == errNoReserve {
		return nil
	}
	return err
}

func fallocate(f *os.File, mode uint32, off, n int64) error {
	if n == 0 {
		return nil
	}
	for {
		switch err := unix.Fallocate(int(f.Fd()), mode, off, n); err {
		case unix.EINTR:
		case unix.EOPNOTSUPP, unix.ENOSYS, unix.EINVAL:
			return errNoReserve
		default:
			return err
		}
	}
}
