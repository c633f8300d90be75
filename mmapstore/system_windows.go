package mmapstore

import (
	"os"

	mmap "github.com/edsrzf/mmap-go"
	"golang.org/x/sys/windows"
)

// granularity divides the file offsets at which a mapping may start: the allocation granularity,
// which is larger than a page.
const granularity int64 = 64 << 10

// anonymousProtection makes memory that belongs to the paging file.
const anonymousProtection = mmap.RDWR

// flushPages writes the mapped bytes up to to: the mapping is known by its first byte only.
func flushPages(whole []byte, _, to int64) error { return mmap.MMap(whole[:to]).Flush() }

// duplicate opens a second handle for what f has open.
func duplicate(f *os.File) (*os.File, error) {
	process := windows.CurrentProcess()
	var h windows.Handle
	err := windows.DuplicateHandle(process, windows.Handle(f.Fd()), process, &h, 0, false, windows.DUPLICATE_SAME_ACCESS)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(h), f.Name()), nil
}
