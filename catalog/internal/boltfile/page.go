package boltfile

import "encoding/binary"

// Kinds of pages, and of leaf elements.
const (
	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
	bucketFlag   = 0x01
)

// elemBytes is the size of an element of a leaf (flags, pos, ksize, vsize) and of a branch (pos,
// ksize, page id).
const elemBytes = 16

// page is one page of the file with its overflow, bounds checked: a header (id, flags, count,
// overflow), then count elements, then what they point at.
type page struct {
	id    uint64
	leaf  bool
	count int
	b     []byte
}

// extent returns a page of the file with its overflow, checking its header.
func (c *Commit) extent(id uint64) (b []byte, flags, count uint16, err error) {
	if id < 2 || id >= c.meta.HighWater {
		return nil, 0, 0, c.damaged("page %d is outside the %d pages in use", id, c.meta.HighWater)
	}
	b = c.data[id*uint64(c.meta.PageSize):]
	self := binary.NativeEndian.Uint64(b)
	flags, count = binary.NativeEndian.Uint16(b[8:]), binary.NativeEndian.Uint16(b[10:])
	overflow := uint64(binary.NativeEndian.Uint32(b[12:]))

	if self != id {
		return nil, 0, 0, c.damaged("page %d says that it is page %d", id, self)
	}
	if overflow >= c.meta.HighWater-id {
		return nil, 0, 0, c.damaged("page %d has %d more pages, past the %d in use", id, overflow, c.meta.HighWater)
	}
	return b[:(overflow+1)*uint64(c.meta.PageSize)], flags, count, nil
}

// page returns a leaf or branch page.
func (c *Commit) page(id uint64) (page, error) {
	b, flags, count, err := c.extent(id)
	if err != nil {
		return page{}, err
	}
	return c.treePage(id, b, flags, count)
}

// inlinePage returns the page inside the value of a small bucket.
func (c *Commit) inlinePage(b []byte) (page, error) {
	if len(b) < pageHeader {
		return page{}, c.damaged("an inline bucket of %d bytes", len(b))
	}
	flags, count := binary.NativeEndian.Uint16(b[8:]), binary.NativeEndian.Uint16(b[10:])
	if flags != leafPage {
		return page{}, c.damaged("an inline bucket with page flags %#x", flags)
	}
	return c.treePage(0, b, flags, count)
}

func (c *Commit) treePage(id uint64, b []byte, flags, count uint16) (page, error) {
	p := page{id: id, leaf: flags == leafPage, count: int(count), b: b}
	if flags != leafPage && flags != branchPage {
		return p, c.damaged("page %d has flags %#x, expected a leaf or a branch", id, flags)
	}
	if pageHeader+p.count*elemBytes > len(b) || !p.leaf && p.count == 0 {
		return p, c.damaged("page %d of %d bytes has %d elements", id, len(b), p.count)
	}
	return p, nil
}

// key returns the key of element i.
func (c *Commit) key(p page, i int) ([]byte, error) {
	off := pageHeader + i*elemBytes
	e := p.b[off:]
	if p.leaf {
		return c.part(p, i, off+int(binary.NativeEndian.Uint32(e[4:])), int(binary.NativeEndian.Uint32(e[8:])))
	}
	return c.part(p, i, off+int(binary.NativeEndian.Uint32(e)), int(binary.NativeEndian.Uint32(e[4:])))
}

// value returns the value of element i of a leaf, and whether it is a bucket.
func (c *Commit) value(p page, i int) (v []byte, isBucket bool, err error) {
	off := pageHeader + i*elemBytes
	e := p.b[off:]
	pos, ksize, vsize := binary.NativeEndian.Uint32(e[4:]), binary.NativeEndian.Uint32(e[8:]), binary.NativeEndian.Uint32(e[12:])
	v, err = c.part(p, i, off+int(pos)+int(ksize), int(vsize))
	return v, binary.NativeEndian.Uint32(e)&bucketFlag != 0, err
}

// child returns the page that element i of a branch points at.
func (p page) child(i int) uint64 {
	return binary.NativeEndian.Uint64(p.b[pageHeader+i*elemBytes+8:])
}

// part returns a piece of a page that element i points at.
func (c *Commit) part(p page, i, off, size int) ([]byte, error) {
	if off > len(p.b) || size > len(p.b)-off {
		return nil, c.damaged("element %d of page %d reaches outside the page", i, p.id)
	}
	return p.b[off : off+size : off+size], nil
}

// search returns the first element whose key is not less than key, and whether it is equal.
func (c *Commit) search(p page, key []byte) (i int, exact bool, err error) {
	lo, hi := 0, p.count
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		k, err := c.key(p, mid)
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

// checkPage looks at every element of a page: in bounds, keys in order, and between from and to
// (nil for no bound).
func (c *Commit) checkPage(p page, from, to []byte) error {
	last := from
	for i := range p.count {
		k, err := c.key(p, i)
		if err != nil {
			return err
		}

		if p.leaf {
			if _, _, err := c.value(p, i); err != nil {
				return err
			}
		}

		// The first key may equal the lower bound; later ones are greater than the one before.
		if i > 0 && string(k) <= string(last) || string(k) < string(last) || to != nil && string(k) >= string(to) {
			return c.damaged("key %d of page %d is out of order", i, p.id)
		}
		last = k
	}
	return nil
}
