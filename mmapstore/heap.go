package mmapstore

import (
	"fmt"
	"unsafe"
)

// alignment of owned memory: a cache line, and the widest vector register.
const alignment = 64

// Heap allocates on the Go heap: right for small and short-lived memory. The bytes belong to the
// garbage collector, so freeing only ends their accounting.
type Heap struct{}

// Place is CPU.
func (Heap) Place() Place { return CPU }

// Alloc returns zeroed bytes. More than the system would grant is an error.
func (Heap) Alloc(size int64) (Block, error) {
	b, err := heapBytes(size)
	if err != nil {
		return Block{}, err
	}
	return NewBlock(b, KindHeap, func() error { return nil }), nil
}

// probeBytes is the size from which the system is asked before the run-time is, which ends the
// process where it gets no memory.
const probeBytes = 64 << 20

// heapBytes makes size aligned bytes on the heap.
func heapBytes(size int64) ([]byte, error) {
	if size >= probeBytes {
		if err := probeMemory(size); err != nil {
			return nil, fmt.Errorf("heap: %w", err)
		}
	}
	b := make([]byte, size+alignment-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) % alignment
	return b[skip : int64(skip)+size : int64(skip)+size], nil
}

// probeMemory tells whether the system would grant size bytes now.
func probeMemory(size int64) error {
	b, err := mapAnonymous(size)
	if err != nil {
		return err
	}
	return unmapAnonymous(b)
}
