package ptxvm

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A Device has global memory and runs modules on it. It is safe for concurrent use, as far as
// launches and copies do not touch the same bytes. The zero Device has no memory in use.
type Device struct {
	buffers atomic.Pointer[[]slot] // by number from 0; replaced by a longer one
	mu      sync.Mutex             // held to make and to free buffers
	made    int                    // buffers, ever
}

// A slot is where a buffer is found: nil if there was none, gone if it was freed.
type slot = atomic.Pointer[Buffer]

// gone stands for all buffers that were freed.
var gone = new(Buffer)

// A Buffer is a piece of global memory. Threads that touch what lies beside it are stopped.
type Buffer struct {
	memory
	device *Device
	number int
}

// bufferBits are the bits of an address within a buffer. Those above are its number, from 1.
const bufferBits = 40

// MaxBytes bounds the size of a Buffer.
const MaxBytes = 1 << 36

// Alloc returns a new Buffer of n bytes, which nobody has written. Its address is a multiple of
// 256. The memory of the process must suffice for it.
func (d *Device) Alloc(n int) (*Buffer, error) {
	if n < 0 || n > MaxBytes {
		return nil, fmt.Errorf("a buffer of %d bytes: want 0 to %d", n, MaxBytes)
	}

	d.mu.Lock()
	defer d.mu.Unlock()

	if d.made == len(d.table()) {
		d.grow()
	}
	b := &Buffer{memory: newMemory(n), device: d, number: d.made}
	d.table()[d.made].Store(b)
	d.made++
	return b, nil
}

// grow replaces the slots by twice as many.
func (d *Device) grow() {
	old := d.table()
	slots := make([]slot, max(2*len(old), 16))
	for i := range old {
		slots[i].Store(old[i].Load())
	}
	d.buffers.Store(&slots)
}

// Free ends the life of b. Launches that touch it from here on fail.
func (b *Buffer) Free() {
	d := b.device
	d.mu.Lock()
	defer d.mu.Unlock()
	d.table()[b.number].Store(gone)
}

// Address returns where b begins in the memory of its device.
func (b *Buffer) Address() uint64 { return uint64(b.number+1) << bufferBits }

// Size returns the bytes of b.
func (b *Buffer) Size() int { return len(b.data) }

func (d *Device) table() []slot {
	if p := d.buffers.Load(); p != nil {
		return *p
	}
	return nil
}

// find returns the memory of n bytes at an address and the first of them. reason is what is wrong
// with the access, "" if nothing is.
func (d *Device) find(address uint64, n int) (m *memory, at int, reason string) {
	number, at := address>>bufferBits, int(address&(1<<bufferBits-1))
	var b *Buffer
	if slots := d.table(); number > 0 && number <= uint64(len(slots)) {
		b = slots[number-1].Load()
	}
	switch b {
	case nil:
		return nil, 0, fmt.Sprintf("address %#x belongs to no buffer", address)
	case gone:
		return nil, 0, fmt.Sprintf("address %#x belongs to a buffer that was freed", address)
	}
	return &b.memory, at, b.outside(at, n)
}
