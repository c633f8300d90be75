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

// parseBoltMeta reads a meta page, and reports whether it is whole, as bbolt does.
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
	return m, e.Uint32(b) == boltMagic && e.Uint32(b[4:]) == boltVersion && e.Uint64(b[metaSummed:]) == h.Sum64()
}

// findBoltMeta returns the newer whole meta page of the two from the first bytes of a file, which are expected to reach
// past the second one if the file does. Where bbolt would take the page size on trust, it has to make sense and to be
// the same in both.
func findBoltMeta(head []byte) (boltMeta, bool) {
	m, ok := parseBoltMeta(head)
	size := m.pageSize
	if !ok {
		if size, ok = findSecondMeta(head); !ok {
			return boltMeta{}, false
		}
	}
	if size < minPageSize || size > maxPageSize || size&(size-1) != 0 || len(head) < 2*size {
		return boltMeta{}, false
	}
	m0, ok0 := parseBoltMeta(head)
	m1, ok1 := parseBoltMeta(head[size:])
	if ok1 && (!ok0 || m1.txid > m0.txid) {
		m0 = m1
	}
	return m0, m0.pageSize == size
}

// findSecondMeta looks for the second meta page at all places where it can be, and returns the page size.
func findSecondMeta(head []byte) (int, bool) {
	for size := minPageSize; size <= maxPageSize && size < len(head); size *= 2 {
		if m, ok := parseBoltMeta(head[size:]); ok {
			return size, m.pageSize == size
		}
	}
	return 0, false
}
