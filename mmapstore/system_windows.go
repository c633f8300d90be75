package mmapstore

import (
	"os"
	"unsafe"

	mmap "github.com/edsrzf/mmap-go"
	"golang.org/x/sys/windows"
)

// granularity divides the file offsets at which a mapping may start: the allocation granularity,
// which is larger than a page.
const granularity int64 = 64 << 10

// anonymousProtection makes memory that belongs to the paging file.
const anonymousProtection = mmap.RDWR

// mapRegion maps part of f, or memory without a file. mmap-go is not used: it keeps the handles of
// file and mapping until the end, when it flushes files that were opened for reading, which is an
// error. The view alone keeps what it shows.
func mapRegion(f *os.File, size, prot, flags int, offset int64) (mmap.MMap, error) {
	file, end := windows.InvalidHandle, int64(size)
	if flags&mmap.ANON == 0 {
		file, end = windows.Handle(f.Fd()), offset+int64(size)
	}

	protect, access := uint32(windows.PAGE_READONLY), uint32(windows.FILE_MAP_READ)
	switch {
	case prot&mmap.COPY != 0:
		protect, access = windows.PAGE_WRITECOPY, windows.FILE_MAP_COPY
	case prot&mmap.RDWR != 0:
		protect, access = windows.PAGE_READWRITE, windows.FILE_MAP_WRITE
	}

	section, err := windows.CreateFileMapping(file, nil, protect, uint32(end>>32), uint32(end), nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateFileMapping", err)
	}
	defer windows.CloseHandle(section)
	at, err := windows.MapViewOfFile(section, access, uint32(offset>>32), uint32(offset), uintptr(size))
	if err != nil {
		return nil, os.NewSyscallError("MapViewOfFile", err)
	}

	// The address is no pointer of Go's: vet wants to see it come from a pointer.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size), nil
}

func unmapRegion(b mmap.MMap) error {
	return os.NewSyscallError("UnmapViewOfFile", windows.UnmapViewOfFile(address(b)))
}

// flushPages writes the mapped bytes [from, to) to the disk.
func flushPages(f *os.File, whole []byte, from, to int64) error {
	if err := windows.FlushViewOfFile(address(whole[from:]), uintptr(to-from)); err != nil {
		return os.NewSyscallError("FlushViewOfFile", err)
	}
	return f.Sync() // the pages may still be in the disk's cache
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

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
