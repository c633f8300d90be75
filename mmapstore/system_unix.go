//go:build unix

package mmapstore

import (
	"os"

	mmap "github.com/edsrzf/mmap-go"
	"golang.org/x/sys/unix"
)

// granularity divides the file offsets at which a mapping may start.
var granularity = int64(os.Getpagesize())

// anonymousProtection makes anonymous memory private to the process.
const anonymousProtection = mmap.COPY

// mapRegion maps part of f, or memory without a file.
func mapRegion(f *os.File, size, prot, flags int, offset int64) (mmap.MMap, error) {
	return mmap.MapRegion(f, size, prot, flags, offset)
}

func unmapRegion(b mmap.MMap) error { return b.Unmap() }

// flushPages writes the mapped bytes [from, to) to the disk; from is at the start of a page.
func flushPages(_ *os.File, whole []byte, from, to int64) error {
	return mmap.MMap(whole[from:to]).Flush()
}

// duplicate opens a second descriptor for what f has open.
func duplicate(f *os.File) (*os.File, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var fd int
	var dupErr error
	err = conn.Control(func(old uintptr) { fd, dupErr = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	if dupErr != nil {
		return nil, dupErr
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
