package catalog

import (
	"encoding/binary"
	"fmt"
)

// Kinds of pages, and of leaf elements.
const (
	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketFlag   = 0x01
)

// elemBytes is the size of an element of a leaf (flags, pos, ksize, vsize) and of a branch (pos, ksize, page id).
const elemBytes = 16

// boltPage is one page of the file with its overflow, bounds checked: a header (id, flags, count, overflow), then
// count elements, then what they point at.
type boltPage struct {
	id    uint64
	leaf  bool
	count int
	b     []byte
}

// snapshot is a bbolt file as one commit left it, read in place. bbolt trusts its file: on a damaged one it panics,
// recurses until the process dies, or never ends. Everything that a transaction reads goes through here instead, where
// every step is checked; and so does every page that bbolt is about to change.
type snapshot struct {
	path string
	data []byte // the mapped file
	meta boltMeta
}

// newSnapshot checks the meta pages of a mapped file against its size.
func newSnapshot(path string, data []byte) (*snapshot, error) {
	m, ok := findBoltMeta(data)
	if !ok {
		return nil, corrupt(path, "%d bytes without a valid meta page of a bbolt file", len(data))
	}
	if m.highWater > uint64(len(data)/m.pageSize) {
		return nil, corrupt(path, "it is cut off: %d pages of %d bytes are in use, but it has %d bytes", m.highWater, m.pageSize, len(data))
	}
	return &snapshot{path: path, data: data, meta: m}, nil
}

// used returns the pages in use, from the start of the file.
func (s *snapshot) used() []byte { return s.data[:s.meta.highWater*uint64(s.meta.pageSize)] }

// extent returns a page of the file with its overflow, checking its header.
func (s *snapshot) extent(id uint64) (b []byte, flags, count uint16, err error) {
	if id < 2 || id >= s.meta.highWater {
		return nil, 0, 0, corrupt(s.path, "page %d is outside the %d pages in use", id, s.meta.highWater)
	}
	b = s.data[id*uint64(s.meta.pageSize):]
	self := binary.NativeEndian.Uint64(b)
	flags, count = binary.NativeEndian.Uint16(b[8:]), binary.NativeEndian.Uint16(b[10:])
	overflow := uint64(binary.NativeEndian.Uint32(b[12:]))
	if self != id {
		return nil, 0, 0, corrupt(s.path, "page %d says that it is page %d", id, self)
	}
	if overflow >= s.meta.highWater-id {
		return nil, 0, 0, corrupt(s.path, "page %d has %d more pages, past the %d in use", id, overflow, s.meta.highWater)
	}
	return b[:(overflow+1)*uint64(s.meta.pageSize)], flags, count, nil
}

// page returns a leaf or branch page.
func (s *snapshot) page(id uint64) (boltPage, error) {
	b, flags, count, err := s.extent(id)
	if err != nil {
		return boltPage{}, err
	}
	return s.treePage(id, b, flags, count)
}

// inlinePage returns the page inside the value of a small bucket.
func (s *snapshot) inlinePage(b []byte) (boltPage, error) {
	if len(b) < pageHeader {
		return boltPage{}, corrupt(s.path, "an inline bucket of %d bytes", len(b))
	}
	flags, count := binary.NativeEndian.Uint16(b[8:]), binary.NativeEndian.Uint16(b[10:])
	if flags != leafPage {
		return boltPage{}, corrupt(s.path, "an inline bucket with page flags %#x", flags)
	}
	return s.treePage(0, b, flags, count)
}

func (s *snapshot) treePage(id uint64, b []byte, flags, count uint16) (boltPage, error) {
	p := boltPage{id: id, leaf: flags == leafPage, count: int(count), b: b}
	if flags != leafPage && flags != branchPage {
		return p, corrupt(s.path, "page %d has flags %#x, expected a leaf or a branch", id, flags)
	}
	if pageHeader+p.count*elemBytes > len(b) || !p.leaf && p.count == 0 {
		return p, corrupt(s.path, "page %d of %d bytes has %d elements", id, len(b), p.count)
	}
	return p, nil
}

// key returns the key of element i.
func (s *snapshot) key(p boltPage, i int) ([]byte, error) {
	off := pageHeader + i*elemBytes
	e := p.b[off:]
	if p.leaf {
		return s.part(p, i, off+int(binary.NativeEndian.Uint32(e[4:])), int(binary.NativeEndian.Uint32(e[8:])))
	}
	return s.part(p, i, off+int(binary.NativeEndian.Uint32(e)), int(binary.NativeEndian.Uint32(e[4:])))
}

// value returns the value of element i of a leaf, and whether it is a bucket.
func (s *snapshot) value(p boltPage, i int) (v []byte, isBucket bool, err error) {
	off := pageHeader + i*elemBytes
	e := p.b[off:]
	pos, ksize, vsize := binary.NativeEndian.Uint32(e[4:]), binary.NativeEndian.Uint32(e[8:]), binary.NativeEndian.Uint32(e[12:])
	v, err = s.part(p, i, off+int(pos)+int(ksize), int(vsize))
	return v, binary.NativeEndian.Uint32(e)&bucketFlag != 0, err
}

// child returns the page that element i of a branch points at.
func (p boltPage) child(i int) uint64 {
	return binary.NativeEndian.Uint64(p.b[pageHeader+i*elemBytes+8:])
}

func (s *snapshot) part(p boltPage, i, off, size int) ([]byte, error) {
	if off > len(p.b) || size > len(p.b)-off {
		return nil, corrupt(s.path, "element %d of page %d reaches outside the page", i, p.id)
	}
	return p.b[off : off+size : off+size], nil
}

// search returns the first element whose key is not less than key, and whether it is equal.
func (s *snapshot) search(p boltPage, key []byte) (i int, exact bool, err error) {
	lo, hi := 0, p.count
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		k, err := s.key(p, mid)
		if err != nil {
			return 0, false, err
		}
		switch {
		case string(k) < string(key):
			lo = mid + 1
		case string(k) == string(key):
			return mid, true, nil
		default:
			hi = mid
		}
	}
	return lo, false, nil
}

// checkPage looks at every element of a page: in bounds, keys in order, and between from and to (nil for no bound).
func (s *snapshot) checkPage(p boltPage, from, to []byte) error {
	last := from
	for i := range p.count {
		k, err := s.key(p, i)
		if err != nil {
			return err
		}
		if p.leaf {
			if _, _, err := s.value(p, i); err != nil {
				return err
			}
		}
		if i > 0 && string(k) <= string(last) || string(k) < string(last) || to != nil && string(k) >= string(to) {
			return corrupt(s.path, "key %d of page %d is out of order", i, p.id)
		}
		last = k
	}
	return nil
}

// checkFreelist makes sure that bbolt can load the list of free pages: it allocates whatever the page claims.
func (s *snapshot) checkFreelist() error {
	if s.meta.freelist == noFreelistPage {
		return corrupt(s.path, "it holds no list of free pages")
	}
	b, flags, count16, err := s.extent(s.meta.freelist)
	if err != nil {
		return err
	}
	if flags != freelistPage {
		return corrupt(s.path, "page %d has flags %#x, expected a list of free pages", s.meta.freelist, flags)
	}
	ids, count := b[pageHeader:], uint64(count16)
	if count16 == 0xFFFF { // too many for 16 bits: the first entry is the count
		count, ids = binary.NativeEndian.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids)/8) {
		return corrupt(s.path, "a list of %d free pages in %d bytes", count, len(b))
	}
	last := uint64(1)
	for i := range count {
		id := binary.NativeEndian.Uint64(ids[i*8:])
		if id <= last || id >= s.meta.highWater {
			return corrupt(s.path, "free page %d after %d of %d pages", id, last, s.meta.highWater)
		}
		last = id
	}
	return nil
}

// freePages returns the set of free pages as bits. It expects that checkFreelist found nothing.
func (s *snapshot) freePages() []bool {
	free := make([]bool, s.meta.highWater)
	b, _, count16, err := s.extent(s.meta.freelist)
	if err != nil {
		panic(fmt.Sprintf("BUG: the list of free pages was not checked: %v", err))
	}
	ids, count := b[pageHeader:], uint64(count16)
	if count16 == 0xFFFF {
		count, ids = binary.NativeEndian.Uint64(ids), ids[8:]
	}
	for i := range count {
		free[binary.NativeEndian.Uint64(ids[i*8:])] = true
	}
	return free
}
