package machine

import (
	"sync"
	"unsafe"
)

// A buffer is the memory of a register, somewhere in which there is a boundary of 64 bytes.
type buffer [registerBytes + 64]byte

// buffers are the ones that no worker holds. For programs on few elements, allocating takes longer
// than computing.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

// A register is the memory of the values of a block.
type register struct {
	ptr    unsafe.Pointer // nil until it is needed
	buffer *buffer        // nil if it is too small
}

// newRegister returns a register of a number of bytes.
func newRegister(bytes int) register {
	if bytes > registerBytes {
		return register{ptr: alignedBuffer(bytes)}
	}
	b := buffers.Get().(*buffer)
	return register{aligned64(unsafe.Pointer(b)), b}
}

// Release gives the registers of w back until the next Eval. What Out returned is not valid any
// more.
func (w *Worker) Release() {
	for i := range w.pool {
		if b := w.pool[i].buffer; b != nil {
			buffers.Put(b)
			w.pool[i] = register{}
		}
	}
}

// aligned64 returns the first boundary of 64 bytes from p on.
func aligned64(p unsafe.Pointer) unsafe.Pointer {
	return unsafe.Add(p, (64-int(uintptr(p)%64))%64)
}
