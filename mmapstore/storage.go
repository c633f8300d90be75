package mmapstore

import (
	"fmt"
	"sync/atomic"
)

// Storage is a flat run of bytes with reference counts. It knows nothing of element types or
// dimensions. It is made with one reference, which its maker gives back with Release; the memory
// goes with the last reference.
//
// All methods may be called from several goroutines at once. The bytes themselves are not
// protected: who writes while others read needs a lock of their own.
type Storage struct {
	life   lifetime
	mem    atomic.Pointer[memory]
	src    *source
	parent *Storage     // of a range: the storage that owns the memory
	start  int64        // of a range: first byte, counted from the parent's
	ranges atomic.Int64 // live ranges over this storage
	leak   *leak
}

// newStorage makes the first storage over a source.
func newStorage(src *source, m *memory) *Storage {
	s := &Storage{src: src}
	s.mem.Store(m)
	s.life.begin()
	s.leak = trackStorage(s)
	return s
}

// New returns size zeroed bytes on the Go heap, aligned to 64 bytes.
func New(size int64) (*Storage, error) { return WithAllocator(Heap{}, size) }

// FromBytes returns a storage over memory that it does not own: the caller keeps b alive, and in
// place when it is not Go memory, until after the last Release. Such a storage can't grow.
func FromBytes(b []byte) *Storage {
	src := &source{backing: borrowed{}, kind: KindBorrowed, name: "borrowed memory", writable: true}
	return newStorage(src, hostMemory(b))
}

// WithAllocator returns size bytes from a. The storage owns the block and frees it with the last
// Release.
func WithAllocator(a Allocator, size int64) (*Storage, error) {
	blk, err := allocate(a, size)
	if err != nil {
		return nil, err
	}
	src := &struct {
		source
		blocks blockBacking
	}{blocks: blockBacking{alloc: a, block: blk}}
	src.backing, src.kind, src.place, src.name, src.writable = &src.blocks, blk.Kind(), blk.Place(), blk.name(), true
	return newStorage(&src.source, blk.mem), nil
}

// Retain takes one more reference and returns s. Each reference is given back with one Release.
func (s *Storage) Retain() (*Storage, error) {
	if err := s.life.retain(); err != nil {
		return nil, err
	}
	return s, nil
}

// Release gives one reference back. The last Release refuses new pins, waits until the running ones
// are given back, and then unmaps or frees the memory; its error is that of writing back or
// unmapping. Releasing a closed storage returns ErrClosed.
//
// A goroutine that calls the last Release while it holds a pin waits for itself, for ever.
func (s *Storage) Release() error {
	last, err := s.life.release()
	if err != nil || !last {
		return err
	}
	s.leak.forget()
	if s.parent != nil {
		s.parent.ranges.Add(-1)
		return s.parent.Release()
	}
	if err := s.src.free(s.mem.Load()); err != nil {
		return fmt.Errorf("release %s: %w", s.src.name, err)
	}
	return nil
}

// Size returns the number of bytes.
func (s *Storage) Size() int64 { return s.mem.Load().size }

// Writable reports whether the bytes may be written: false for ReadOnly mappings, and after a
// failed Flush.
func (s *Storage) Writable() bool { return s.src.checkWrite() == nil }

// Place says where the bytes live.
func (s *Storage) Place() Place { return s.src.place }

// Kind says what the memory is.
func (s *Storage) Kind() Kind { return s.src.kind }

// Path returns the file that the storage maps, as it was named when it was opened; empty for
// memory.
func (s *Storage) Path() string { return s.src.path }

// FileOffset returns the position of the storage's first byte in its file; 0 for memory.
func (s *Storage) FileOffset() int64 {
	if s.src.path == "" {
		return 0
	}
	return s.src.fileOffset + s.start
}

// Mapped reports whether the bytes are those of a file. It is also true where a copy on the heap
// stands in for the mapping.
func (s *Storage) Mapped() bool { return s.src.kind == KindMapped }

// Owned reports whether the storage frees its memory; false for FromBytes and ranges of it.
func (s *Storage) Owned() bool { return s.src.kind != KindBorrowed }

// Device returns the device memory of a storage that does not live on the CPU, otherwise nil. It is
// what the allocator gave to NewDeviceBlock.
func (s *Storage) Device() Device {
	if b, ok := s.src.backing.(*blockBacking); ok {
		return b.block.Device()
	}
	return nil
}

// Distance returns how many bytes s begins behind other. ok is false if they do not share memory:
// two mappings of one file, for example, and two blocks do not.
func (s *Storage) Distance(other *Storage) (n int64, ok bool) {
	return s.start - other.start, s.src == other.src
}

// checkRange tells whether [off, off+n) lies within size bytes.
func checkRange(off, n, size int64) error {
	if off < 0 || n < 0 || off > size || n > size-off {
		return fmt.Errorf("range of %d bytes at offset %d does not fit a storage of %d bytes", n, off, size)
	}
	return nil
}
