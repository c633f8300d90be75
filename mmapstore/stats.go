package mmapstore

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// Kind says what memory is made of.
type Kind uint8

const (
	KindHeap      Kind = iota // the Go heap
	KindAnonymous             // mapped from the system
	KindFile                  // mapped from a temporary file
	KindMapped                // a part of a file
	KindDevice                // not host memory
	KindBorrowed              // somebody else's: never counted
	KindOther                 // host memory of other allocators
)

var kindNames = [...]string{
	KindHeap: "heap", KindAnonymous: "anonymous", KindFile: "file", KindMapped: "mapped",
	KindDevice: "device", KindBorrowed: "borrowed", KindOther: "other",
}

// String returns a lower-case word such as "heap".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Usage counts the blocks of one kind at one place. Sizes are in bytes.
type Usage struct {
	Place       Place
	Kind        Kind
	Blocks      int64 // alive now
	Bytes       int64 // alive now
	PeakBytes   int64 // most that were alive at once
	TotalBlocks int64 // ever made
	TotalBytes  int64 // ever made
}

type usageKey struct {
	place Place
	kind  Kind
}

// usage counts every block from its making to its freeing.
var usage = struct {
	sync.Mutex
	by map[usageKey]*Usage
}{by: map[usageKey]*Usage{}}

// Stats returns the use of memory by place and kind, in that order, of everything that was
// allocated or mapped by this process: one line for each pair that was ever used. Ranges and
// borrowed memory do not count, storages that were dropped without Release do.
func Stats() []Usage {
	usage.Lock()
	defer usage.Unlock()
	all := make([]Usage, 0, len(usage.by))
	for _, u := range usage.by {
		all = append(all, *u)
	}
	slices.SortFunc(all, func(a, b Usage) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

func account(place Place, kind Kind, size int64) {
	usage.Lock()
	defer usage.Unlock()
	key := usageKey{place, kind}
	u := usage.by[key]
	if u == nil {
		u = &Usage{Place: place, Kind: kind}
		usage.by[key] = u
	}
	u.Blocks++
	u.Bytes += size
	u.PeakBytes = max(u.PeakBytes, u.Bytes)
	u.TotalBlocks++
	u.TotalBytes += size
}

func unaccount(place Place, kind Kind, size int64) {
	usage.Lock()
	defer usage.Unlock()
	u := usage.by[usageKey{place, kind}]
	u.Blocks--
	u.Bytes -= size
}
