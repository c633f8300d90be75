package device

import (
	"sync"

	"github.com/tstore/tstore/mmapstore"
)

// A Budget counts the memory of a device that a program takes. It is for those who implement
// Device, and safe for concurrent use.
type Budget struct {
	place mmapstore.Place
	limit int64
	mu    struct {
		sync.Mutex
		used, most int64
	}
}

// NewBudget returns a Budget of limit bytes.
func NewBudget(place mmapstore.Place, limit int64) *Budget {
	return &Budget{place: place, limit: limit}
}

// Take counts n bytes, or returns a *MemoryError if there are not as many left.
func (b *Budget) Take(n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n < 0 || n > b.limit-b.mu.used {
		return &MemoryError{Place: b.place, Asked: n, Used: b.mu.used, Limit: b.limit}
	}
	b.mu.used += n
	b.mu.most = max(b.mu.most, b.mu.used)
	return nil
}

// Give gives n bytes back.
func (b *Budget) Give(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mu.used -= n
}

// Used returns how many bytes are taken, and how many were at most.
func (b *Budget) Used() (now, most int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mu.used, b.mu.most
}

// Limit returns how many bytes may be taken.
func (b *Budget) Limit() int64 { return b.limit }
