package mmapstore

import (
	"fmt"

	mmap "github.com/edsrzf/mmap-go"
)

// Anonymous allocates memory that is mapped from the system: it is outside of the garbage
// collector's heap, given back as soon as it is freed, and made of huge pages where the system has
// them. It does not count for GOMEMLIMIT.
type Anonymous struct {
	// NoHugePages leaves the page size to the system.
	NoHugePages bool
}

// Place is CPU.
func (Anonymous) Place() Place { return CPU }

// Alloc returns zeroed bytes that start on a page.
func (a Anonymous) Alloc(size int64) (Block, error) {
	if size == 0 || heapStandsIn(size) {
		b, err := heapBytes(size)
		if err != nil {
			return Block{}, err
		}
		return NewBlock(b, KindAnonymous, func() error { return nil }), nil
	}

	b, err := mapAnonymous(size)
	if err != nil {
		return Block{}, err
	}
	if !a.NoHugePages {
		preferHugePages(b)
	}

	return newBlock(&block{
		mem:    hostMemory(b),
		kind:   KindAnonymous,
		place:  CPU,
		mapped: true,
		free:   func() error { return unmap(b, "anonymous memory") },
	}), nil
}

// mapAnonymous maps size > 0 zeroed bytes that belong to no file.
func mapAnonymous(size int64) ([]byte, error) {
	if size > maxSize {
		return nil, fmt.Errorf("%d bytes are more than can be addressed", size)
	}
	b, err := mapSpread(func() (mmap.MMap, error) { return mapRegion(nil, int(size), anonymousProtection, mmap.ANON, 0) })
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of memory: %w", size, err)
	}
	return b, nil
}

func unmapAnonymous(b []byte) error {
	leaveSlot(b)
	return unmapRegion(b)
}
