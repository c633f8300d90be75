package boltfile

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"os"
)

// A bbolt file starts with two meta pages, at 0 and at the page size. Each commit overwrites the
// older one. This is their layout, in the byte order of the machine, after a page header: magic,
// version, page size, flags (uint32 each), root page, root sequence, freelist page, high water
// mark, transaction id, FNV-1a checksum (uint64 each).
const (
	magic          = 0xED0CDAED
	version        = 2
	pageHeader     = 16
	metaBytes      = 64
	metaSummed     = 56 // bytes before the checksum
	minPageSize    = 1024
	maxPageSize    = 1 << 24
	noFreelistPage = ^uint64(0)
)

// Meta is one valid meta page.
type Meta struct {
	PageSize  int
	HighWater uint64 // pages below it are in use or free
	TxID      uint64

	root, freelist uint64
}

// parseMeta reads a meta page, and reports whether it is whole, as bbolt does.
func parseMeta(page []byte) (Meta, bool) {
	if len(page) < pageHeader+metaBytes {
		return Meta{}, false
	}
	b := page[pageHeader : pageHeader+metaBytes]
	e := binary.NativeEndian
	h := fnv.New64a()
	h.Write(b[:metaSummed])

	m := Meta{
		PageSize:  int(e.Uint32(b[8:])),
		root:      e.Uint64(b[16:]),
		freelist:  e.Uint64(b[32:]),
		HighWater: e.Uint64(b[40:]),
		TxID:      e.Uint64(b[48:]),
	}
	return m, e.Uint32(b) == magic && e.Uint32(b[4:]) == version && e.Uint64(b[metaSummed:]) == h.Sum64()
}

// FindMeta returns the newer whole meta page of the two, and whether there is one. head is the
// start of a file, past the second meta page if the file reaches there. Where bbolt would take the
// page size on trust, it has to make sense and to be the same in both.
func FindMeta(head []byte) (Meta, bool) {
	m, ok := parseMeta(head)
	size := m.PageSize
	if !ok {
		if size, ok = findSecondMeta(head); !ok {
			return Meta{}, false
		}
	}

	// The size says where the second page is, so it must make sense first.
	if size < minPageSize || size > maxPageSize || size&(size-1) != 0 || len(head) < 2*size {
		return Meta{}, false
	}

	// Of two whole pages the one of the later transaction counts.
	m0, ok0 := parseMeta(head)
	m1, ok1 := parseMeta(head[size:])
	if ok1 && (!ok0 || m1.TxID > m0.TxID) {
		m0 = m1
	}
	return m0, m0.PageSize == size
}

// findSecondMeta looks for the second meta page wherever it can be, and returns the page size.
func findSecondMeta(head []byte) (int, bool) {
	for size := minPageSize; size <= maxPageSize && size < len(head); size *= 2 {
		if m, ok := parseMeta(head[size:]); ok {
			return size, m.PageSize == size
		}
	}
	return 0, false
}

// ReadMeta returns the current meta page of a file, and whether there is one. A commit at the same
// time does no harm: it overwrites the older meta page.
func ReadMeta(f io.ReaderAt) (Meta, bool, error) {
	for size := 2 * os.Getpagesize(); ; size *= 4 {
		head := make([]byte, size)
		n, err := f.ReadAt(head, 0)
		if err != nil && err != io.EOF {
			return Meta{}, false, err
		}
		if m, ok := FindMeta(head[:n]); ok {
			return m, true, nil
		}
		if err == io.EOF || size > 2*maxPageSize {
			return Meta{}, false, nil
		}
	}
}

// Metas is the checksummed part of the two meta pages, as they stand in a file. Two equal ones of
// one file mean that nothing was committed in between, since every commit has a higher id.
type Metas [2][metaBytes]byte

// ReadMetas reads the meta pages of a file.
func ReadMetas(f io.ReaderAt, pageSize int) (m Metas, err error) {
	_, err0 := f.ReadAt(m[0][:], pageHeader)
	_, err1 := f.ReadAt(m[1][:], int64(pageSize)+pageHeader)
	return m, errors.Join(err0, err1)
}

// In reports whether head, the first two pages of a mapped file, shows these meta pages.
func (m *Metas) In(head []byte, pageSize int) bool {
	return string(head[pageHeader:pageHeader+metaBytes]) == string(m[0][:]) &&
		string(head[pageSize+pageHeader:pageSize+pageHeader+metaBytes]) == string(m[1][:])
}

// WipeMetas overwrites both meta pages with zeros: the file is no database any more.
func WipeMetas(f io.WriterAt, pageSize int) error {
	var none [metaBytes]byte
	_, err0 := f.WriteAt(none[:], pageHeader)
	_, err1 := f.WriteAt(none[:], int64(pageSize)+pageHeader)
	return errors.Join(err0, err1)
}
