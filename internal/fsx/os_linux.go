package fsx

import (
	"math"

	"golang.org/x/sys/unix"
)

// searchFolder opens a folder to look for names in it, for which no right to list them is needed.
const searchFolder = unix.O_PATH

// minFallocate is the smallest piece that an interrupted reservation is retried with.
const minFallocate = 16 << 20

// fallocate reserves the range in one piece. A signal undoes a piece on tmpfs, and signals may come
// faster than a large piece takes, so each interruption halves the piece.
func fallocate(fd int, off, n int64) error {
	for piece := n; n > 0; {
		piece = min(piece, n)
		switch err := unix.Fallocate(fd, 0, off, piece); err {
		case nil:
			off, n = off+piece, n-piece
		case unix.EINTR:
			piece = max(piece/2, minFallocate)
		case unix.EOPNOTSUPP, unix.EINVAL, unix.ENOSYS:
			return ErrFallocateUnsupported
		default:
			return err
		}
	}
	return nil
}

func startWriteback(fd int, off, n int64) error {
	return syncFileRange(fd, off, n, unix.SYNC_FILE_RANGE_WRITE)
}

func waitWriteback(fd int, off, n int64) error {
	return syncFileRange(fd, off, n,
		unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
}

// syncFileRange does nothing where the call is not known: it is for pacing only.
func syncFileRange(fd int, off, n int64, flags int) error {
	for {
		switch err := unix.SyncFileRange(fd, off, n, flags); err {
		case unix.EINTR:
		case unix.ENOSYS, unix.EOPNOTSUPP, unix.ESPIPE:
			return nil
		default:
			return err
		}
	}
}

// The next two are hints, so that they don't fail.

func dropCache(fd int, off, n int64) {
	_ = unix.Fadvise(fd, off, n, unix.FADV_DONTNEED)
}

func adviseSequential(fd int) {
	_ = unix.Fadvise(fd, 0, 0, unix.FADV_SEQUENTIAL)
}

func cloneFile(fd int, src uintptr) error {
	return cloneError(unix.IoctlFileClone(fd, int(src)))
}

func copyFileRange(fd int, off int64, src uintptr, srcOff, n int64) (int64, error) {
	n = min(n, math.MaxInt32)
	for {
		copied, err := unix.CopyFileRange(int(src), &srcOff, fd, &off, int(n), 0)
		if err != unix.EINTR {
			return int64(max(copied, 0)), cloneError(err)
		}
	}
}

func cloneError(err error) error {
	switch err {
	case unix.EXDEV, unix.EOPNOTSUPP, unix.EINVAL, unix.ENOSYS, unix.ENOTTY, unix.ETXTBSY:
		return ErrCloneUnsupported
	}
	return err
}
