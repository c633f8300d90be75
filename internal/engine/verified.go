package engine

import (
	"sync"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/mapped"
)

// Verified are the blocks of storages that this handle has verified.
type Verified struct {
	mu struct {
		sync.Mutex
		byID map[catalog.ID]*blockSet
	}
}

// blockSet has a bit for each block of sealed bytes.
type blockSet struct {
	key  SealKey
	bits []uint64
}

// SealKey identifies the bytes of a sealed storage.
type SealKey struct {
	mapped.Key
	Root [16]byte
}

// Unverified returns the blocks from first to before end that have not been verified.
func (v *Verified) Unverified(key SealKey, first, end int64) []int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	var left []int64
	set := v.mu.byID[key.ID]
	for n := first; n < end; n++ {
		if set == nil || set.key != key || set.bits[n/64]>>(n%64)&1 == 0 {
			left = append(left, n)
		}
	}
	return left
}

// Add notes that blocks have been verified.
func (v *Verified) Add(key SealKey, blocks []int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.mu.byID == nil {
		v.mu.byID = map[catalog.ID]*blockSet{}
	}
	set := v.mu.byID[key.ID]
	if set == nil || set.key != key {
		set = &blockSet{key: key, bits: make([]uint64, (blocksum.Count(key.Payload)+63)/64)}
		v.mu.byID[key.ID] = set
	}
	for _, n := range blocks {
		set.bits[n/64] |= 1 << (n % 64)
	}
}
