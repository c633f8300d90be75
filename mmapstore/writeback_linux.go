package mmapstore

import (
	"os"

	"golang.org/x/sys/unix"
)

// cachedBytes asks for the pages of a part of a file. The call came with Linux 6.5, and is refused
// for files that the process may not write.
func cachedBytes(f *dataFile, off, n int64) (cached, dirty int64, ok bool) {
	part := unix.CachestatRange{Off: uint64(off), Len: uint64(n)}
	var stat unix.Cachestat_t
	if err := unix.Cachestat(uint(f.Fd()), &part, &stat, 0); err != nil {
		return 0, 0, false
	}
	page := int64(os.Getpagesize())
	return int64(stat.Cache) * page, int64(stat.Dirty) * page, true
}

func startWriteback(f *dataFile, off, n int64) error {
	return syncFileRange(f, off, n, unix.SYNC_FILE_RANGE_WRITE)
}

func waitWriteback(f *dataFile, off, n int64) error {
	return syncFileRange(f, off, n, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
}

// syncFileRange does nothing where the call is not known: nothing depends on it.
func syncFileRange(f *dataFile, off, n int64, flags int) error {
	for {
		switch err := unix.SyncFileRange(int(f.Fd()), off, n, flags); err {
		case unix.EINTR:
		case unix.ENOSYS, unix.EOPNOTSUPP, unix.ESPIPE:
			return nil
		default:
			return err
		}
	}
}
