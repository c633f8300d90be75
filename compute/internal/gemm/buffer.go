package gemm

import (
	"sync"
	"unsafe"
)

// buffers keeps memory for the panels of large products, which is expensive to get from the system.
var buffers sync.Pool

// takeBuffer returns at least n bytes at a multiple of 64, with anything in them.
func takeBuffer(n int) []byte {
	if b, ok := buffers.Get().(*[]byte); ok && len(*b) >= n {
		return *b
	}
	return newBuffer(n)
}

// giveBuffer keeps b for the next job.
func giveBuffer(b []byte) { buffers.Put(&b) }

// newBuffer returns n bytes at a multiple of 64.
func newBuffer(n int) []byte {
	const align = 64
	b := make([]byte, n+align)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) % align)
	return b[skip : skip+n]
}
