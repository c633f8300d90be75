package ptxvm

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// A Device has global memory and runs modules on it. It is safe for concurrent use, as far as
// launches and copies do not touch the same bytes. The zero Device has no memory in use.
type Device struct {
	buffers atomic.Pointer[[]atomic.Pointer[Buffer]] // by number from 0, nil where one was freed
	mu      sync.Mutex                               // held to change buffers
}

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

	// Those who have the table of before do not see what lies behind its end.
	table := roomy(d.table())
	b := &Buffer{memory: newMemory(n), device: d, number: len(table)}
	table = table[:b.number+1]
	table[b.number].Store(b)
	d.buffers.Store(&table)
	return b, nil
}

// Free ends the life of b. Launches that touch it from here on fail.
func (b *Buffer) Free() {
	b.device.mu.Lock()
	defer b.device.mu.Unlock()
	b.device.table()[b.number].Store(nil)
}

// Address returns where b begins in the memory of its device.
func (b *Buffer) Address() uint64 { return uint64(b.number+1) << bufferBits }

// Size returns the bytes of b.
func (b *Buffer) Size() int { return len(b.data) }

func (d *Device) table() []atomic.Pointer[Buffer] {
	if p := d.buffers.Load(); p != nil {
		return *p
	}
	return nil
}

// roomy returns a table with room behind its end.
func roomy(old []atomic.Pointer[Buffer]) []atomic.Pointer[Buffer] {
	if len(old) < cap(old) {
		return old
	}
	table := make([]atomic.Pointer[Buffer], len(old), 2*len(old)+8)
	for i := range old {
		table[i].Store(old[i].Load())
	}
	return table
}

// find returns the memory of n bytes at an address and the first of them. reason is what is wrong
// with the access, "" if nothing is.
func (d *Device) find(address uint64, n int) (m *memory, at int, reason string) {
	number, at := address>>bufferBits, int(address&(1<<bufferBits-1))
	buffers := d.table()
	if number == 0 || number > uint64(len(buffers)) {
		return nil, 0, fmt.Sprintf("address %#x belongs to no buffer", address)
	}
	b := buffers[number-1].Load()
	switch {
	case b == nil:
		return nil, 0, fmt.Sprintf("address %#x belongs to a buffer that was freed", address)
	}
	return &b.memory, at, b.outside(at, n)
}
