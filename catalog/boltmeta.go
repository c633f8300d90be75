package catalog

import (
	"encoding/binary"
	"hash/fnv"
)

// A bbolt file starts with two meta pages, at 0 and at the page size. Each commit overwrites the older one. This is
// their layout, in the byte order of the machine, after a page header: magic, version, page size, flags (uint32 each),
// root page, root sequence, freelist page, high water mark, transaction id, FNV-1a checksum (uint64 each).
const (
	boltMagic      = 0xED0CDAED
	boltVersion    = 2
	pageHeader     = 16
	metaBytes      = 64
	metaSummed     = 56 // bytes before the checksum
	minPageSize    = 1024
	maxPageSize    = 1 << 24
	noFreelistPage = ^uint64(0)
)

// boltMeta is one valid meta page.
type boltMeta struct {
	pageSize  int
	root      uint64
	freelist  uint64
	highWater uint64 // pages below it are in use or free
	txid      uint64
}

// parseBoltMeta reads a meta page, and reports whether it is whole and known.
func parseBoltMeta(page []byte) (boltMeta, bool) {
	if len(page) < pageHeader+metaBytes {
		return boltMeta{}, false
	}
	b := page[pageHeader : pageHeader+metaBytes]
	e := binary.NativeEndian
	h := fnv.New64a()
	h.Write(b[:metaSummed])
	m := boltMeta{
		pageSize:  int(e.Uint32(b[8:])),
		root:      e.Uint64(b[16:]),
		freelist:  e.Uint64(b[32:]),
		highWater: e.Uint64(b[40:]),
		txid:      e.Uint64(b[48:]),
	}
	ok := e.Uint32(b) == boltMagic && e.Uint32(b[4:]) == boltVersion && e.Uint64(b[metaSummed:]) == h.Sum64() &&
		m.pageSize >= minPageSize && m.pageSize <= maxPageSize && m.pageSize&(m.pageSize-1) == 0
	return m, ok
}

// currentMeta returns the newer valid meta of the two.
func currentMeta(page0, page1 []byte) (boltMeta, bool) {
	m0, ok0 := parseBoltMeta(page0)
	m1, ok1 := parseBoltMeta(page1)
	if ok1 && (!ok0 || m1.txid > m0.txid) {
		return m1, true
	}
	return m0, ok0
}

// findPageSize returns the page size of a bbolt file from its first bytes, which are expected to reach past the second
// meta page if the file does.
func findPageSize(head []byte) (int, bool) {
	if m, ok := parseBoltMeta(head); ok {
		return m.pageSize, true
	}
	for size := minPageSize; size <= maxPageSize && size < len(head); size *= 2 {
		if m, ok := parseBoltMeta(head[size:]); ok && m.pageSize == size {
			return size, true
		}
	}
	return 0, false
}
