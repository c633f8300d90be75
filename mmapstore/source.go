package mmapstore

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"
)

// memory is the run of bytes that a storage shows, and the addresses around it that belong to the
// same mapping. It is immutable: Grow puts a new one in its place.
type memory struct {
	bytes   []byte // what the storage shows; nil on a device
	size    int64  // of the storage, in bytes
	whole   []byte // everything mapped around bytes; faults are caught inside of it
	wholeAt int64  // where whole starts, counted from the first byte of the source: 0 or less
}

// hostMemory describes memory that is shown completely.
func hostMemory(b []byte) *memory {
	b = b[:len(b):len(b)]
	return &memory{bytes: b, size: int64(len(b)), whole: b}
}

// cut returns the part [off, off+n) of m.
func (m *memory) cut(off, n int64) *memory {
	part := &memory{size: n, whole: m.whole, wholeAt: m.wholeAt}
	if m.bytes != nil {
		part.bytes = m.bytes[off : off+n : off+n]
	}
	return part
}

// locate turns an address into an offset from the first byte of the source. It reports false for
// addresses that are not part of the mapping.
func (m *memory) locate(addr uintptr) (off int64, ok bool) {
	low := uintptr(unsafe.Pointer(unsafe.SliceData(m.whole)))
	if addr < low || addr-low >= uintptr(len(m.whole)) {
		return 0, false
	}
	return m.wholeAt + int64(addr-low), true
}

// backing is what memory is made of. Offsets count from the first byte of the source; callers have
// checked the bounds and hold a pin, or for grow and free the storage alone.
type backing interface {
	flush(m *memory, off, n int64) error
	advise(m *memory, off, n int64, a Advice) error
	grow(m *memory, size int64) (*memory, error)
	diagnose(off int64) error // says why the byte at off faulted
	check() error             // tells whether all bytes are still there
	free(m *memory) error
}

// maxSize is the most that a storage can hold: far more than any address space, with room to round
// it up to pages.
const maxSize = math.MaxInt64 - 1<<20

// source is what a storage and all ranges of it have in common.
type source struct {
	backing
	kind       Kind
	place      Place
	path       string // of the file; empty for memory
	name       string // for messages
	fileOffset int64  // of the first byte, in the file
	writable   bool

	poison atomic.Pointer[error] // the first failed flush
}

// checkWrite says why the bytes must not be written, if so.
func (s *source) checkWrite() error {
	if !s.writable {
		return ErrReadOnly
	}
	if first := s.poison.Load(); first != nil {
		return fmt.Errorf("%w: %w", ErrPoisoned, *first)
	}
	return nil
}
