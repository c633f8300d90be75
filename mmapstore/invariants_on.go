//go:build invariants

package mmapstore

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"
)

// leak is the record of an open storage. It outlives the storage and does not refer to it.
type leak struct {
	Leak
	seq int64
}

// grave is a closed mapping whose addresses are never used again.
type grave struct {
	low, high uintptr
	name      string
	stack     string
}

var book = struct {
	sync.Mutex
	seq    int64
	open   map[*leak]struct{}
	graves []grave
}{open: map[*leak]struct{}{}}

// trackStorage records that s is open, and who made it.
func trackStorage(s *Storage) *leak {
	if !s.Owned() {
		return nil
	}
	book.Lock()
	defer book.Unlock()
	book.seq++
	l := &leak{seq: book.seq, Leak: Leak{Name: s.src.name, Size: s.Size(), Stack: string(debug.Stack())}}
	book.open[l] = struct{}{}
	runtime.AddCleanup(s, (*leak).lose, l)
	return l
}

// lose notes that the storage was collected. A released one is not in the book any more.
func (l *leak) lose() {
	book.Lock()
	defer book.Unlock()
	l.Lost = true
}

// forget ends the record when the storage is released.
func (l *leak) forget() {
	book.Lock()
	defer book.Unlock()
	delete(book.open, l)
}

// Leaks returns the storages that are open, oldest first, under the build tag invariants; without
// it, nothing is recorded and Leaks returns nil.
func Leaks() []Leak {
	book.Lock()
	defer book.Unlock()
	var found []*leak
	for l := range book.open {
		found = append(found, l)
	}
	slices.SortFunc(found, func(a, b *leak) int { return cmp.Compare(a.seq, b.seq) })
	leaks := make([]Leak, len(found))
	for i, l := range found {
		leaks[i] = l.Leak
	}
	return leaks
}

// bury makes a closed mapping inaccessible for good and remembers it, so that a use of its bytes is
// a fault at once instead of a look at somebody else's. It reports whether it did.
func bury(whole []byte, name string) bool {
	if !forbid(whole) {
		return false
	}
	low := uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
	book.Lock()
	defer book.Unlock()
	book.graves = append(book.graves, grave{low, low + uintptr(len(whole)), name, string(debug.Stack())})
	return true
}

// describeClosed names the closed mapping at an address; it is empty when there is none.
func describeClosed(addr uintptr) string {
	book.Lock()
	defer book.Unlock()
	for _, g := range book.graves {
		if g.low <= addr && addr < g.high {
			return fmt.Sprintf("byte %d of the closed mapping of %s was used; it was closed by\n%s", addr-g.low, g.name, g.stack)
		}
	}
	return ""
}
