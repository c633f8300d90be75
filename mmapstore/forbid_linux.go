//go:build invariants

package mmapstore

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// forbid puts inaccessible memory in the place of a mapping. The mapping's hold on its file ends.
func forbid(whole []byte) bool {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANON | unix.MAP_FIXED | unix.MAP_NORESERVE
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(unsafe.SliceData(whole)), uintptr(len(whole)), unix.PROT_NONE, flags)
	return err == nil
}
