package blocksum

import (
	"fmt"
	"sync"
)

// Collector sums the blocks of bytes that come in pieces, of any size and in any order, each byte
// once. It sums a block in place if one piece holds all of it. Otherwise it collects the parts of
// the block, in a block of memory that it keeps until the last part has come. Its methods may be
// called from several goroutines.
type Collector struct {
	id    ID
	first int64 // the first block that is summed
	mu    struct {
		sync.Mutex
		sums []uint64 // of blocks from first on; those that have not come yet are 0
		done int64    // blocks that have come
		cut  map[int64]*cutBlock
		free []*cutBlock
	}
}

// cutBlock is a block of which some bytes have come.
type cutBlock struct {
	b [BlockBytes]byte
	n int64
}

// NewCollector returns a Collector for the blocks of storage id from number first on.
func NewCollector(id ID, first int64) *Collector {
	c := &Collector{id: id, first: first}
	c.mu.cut = map[int64]*cutBlock{}
	return c
}

// Add adds the bytes p, which lie at off of the payload, not before the first block.
func (c *Collector) Add(p []byte, off int64) {
	if head := off % BlockBytes; head != 0 {
		n := min(BlockBytes-head, int64(len(p)))
		c.addCut(p[:n], off)
		p, off = p[n:], off+n
	}
	if whole := len(p) / BlockBytes; whole > 0 {
		c.addWhole(p[:whole*BlockBytes], off/BlockBytes)
		p, off = p[whole*BlockBytes:], off+int64(whole)*BlockBytes
	}
	if len(p) > 0 {
		c.addCut(p, off)
	}
}

// addWhole sums whole blocks, from number n on.
func (c *Collector) addWhole(p []byte, n int64) {
	sums := make([]uint64, len(p)/BlockBytes)
	for i := range sums {
		sums[i] = Of(c.id, n+int64(i), p[i*BlockBytes:(i+1)*BlockBytes])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.putLocked(n, sums...)
}

func (c *Collector) putLocked(n int64, sums ...uint64) {
	at := n - c.first
	if missing := at + int64(len(sums)) - int64(len(c.mu.sums)); missing > 0 {
		c.mu.sums = append(c.mu.sums, make([]uint64, missing)...)
	}
	copy(c.mu.sums[at:], sums)
	c.mu.done += int64(len(sums))
}

// addCut takes a part of one block.
func (c *Collector) addCut(p []byte, off int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := off / BlockBytes
	block := c.mu.cut[n]
	if block == nil {
		block = c.blockLocked()
		c.mu.cut[n] = block
	}
	copy(block.b[off%BlockBytes:], p)
	if block.n += int64(len(p)); block.n == BlockBytes {
		c.putLocked(n, Of(c.id, n, block.b[:]))
		c.dropLocked(n)
	}
}

// blockLocked returns an empty block.
func (c *Collector) blockLocked() *cutBlock {
	last := len(c.mu.free) - 1
	if last < 0 {
		return new(cutBlock)
	}
	block := c.mu.free[last]
	c.mu.free = c.mu.free[:last]
	block.n = 0
	return block
}

func (c *Collector) dropLocked(n int64) {
	c.mu.free = append(c.mu.free, c.mu.cut[n])
	delete(c.mu.cut, n)
}

// Sums ends the collection: it returns the sums of all blocks from the first one to the end of a
// payload of so many bytes. It returns an error if some of these bytes have not come, or if more
// have.
func (c *Collector) Sums(payload int64) ([]uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := payload / BlockBytes; payload%BlockBytes != 0 && c.mu.cut[last] != nil && c.mu.cut[last].n == payload%BlockBytes {
		c.putLocked(last, Of(c.id, last, c.mu.cut[last].b[:payload%BlockBytes]))
		c.dropLocked(last)
	}
	want := int64(Count(payload)) - c.first
	if c.mu.done != want || int64(len(c.mu.sums)) != want || len(c.mu.cut) > 0 {
		return nil, fmt.Errorf("expected %d blocks of bytes, found %d whole ones and %d in part", want, c.mu.done, len(c.mu.cut))
	}
	return c.mu.sums, nil
}
