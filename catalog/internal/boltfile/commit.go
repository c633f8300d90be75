package boltfile

import (
	"encoding/binary"
	"fmt"
)

// Commit is a bbolt file as one commit left it. Its methods may be called by several goroutines at
// once. Reading touches the mapped bytes: where the file is cut off under the mapping, that is a
// fault of the calling goroutine.
type Commit struct {
	data []byte
	meta Meta
	bad  func(detail string) error
}

// Open checks the meta pages of a mapped file against its size. bad makes the errors that Open and
// all methods return: it is given what is wrong with the file. data must stay mapped, and nobody
// may change it, as long as the commit, or a key or value of it, is used.
func Open(data []byte, bad func(detail string) error) (*Commit, error) {
	c := &Commit{data: data, bad: bad}
	var ok bool
	if c.meta, ok = FindMeta(data); !ok {
		return nil, c.damaged("%d bytes without a valid meta page of a bbolt file", len(data))
	}
	if pages := uint64(len(data) / c.meta.PageSize); c.meta.HighWater > pages {
		return nil, c.damaged("it is cut off: %d pages of %d bytes are in use, but it has %d bytes",
			c.meta.HighWater, c.meta.PageSize, len(data))
	}
	return c, nil
}

// damaged returns the error of what is wrong with the file.
func (c *Commit) damaged(format string, args ...any) error {
	return c.bad(fmt.Sprintf(format, args...))
}

// Meta returns the meta page of the commit.
func (c *Commit) Meta() Meta { return c.meta }

// Metas returns both meta pages.
func (c *Commit) Metas() (m Metas) {
	copy(m[0][:], c.data[pageHeader:])
	copy(m[1][:], c.data[c.meta.PageSize+pageHeader:])
	return m
}

// Data returns the whole file.
func (c *Commit) Data() []byte { return c.data }

// Used returns the pages in use, from the start of the file.
func (c *Commit) Used() []byte { return c.data[:c.meta.HighWater*uint64(c.meta.PageSize)] }

// freelist returns the ids of the free pages as they stand in the file, 8 bytes each.
func (c *Commit) freelist() (ids []byte, count uint64, err error) {
	b, flags, count16, err := c.extent(c.meta.freelist)
	if err != nil {
		return nil, 0, err
	}
	if flags != freelistPage {
		return nil, 0, c.damaged("page %d has flags %#x, expected a list of free pages", c.meta.freelist, flags)
	}
	ids, count = b[pageHeader:], uint64(count16)
	if count16 == 0xFFFF { // too many for 16 bits: the first entry is the count
		count, ids = binary.NativeEndian.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids)/8) {
		return nil, 0, c.damaged("a list of %d free pages in %d bytes", count, len(b))
	}
	return ids[:count*8], count, nil
}

// CheckFreelist makes sure that bbolt can load the list of free pages: it allocates whatever the
// page claims.
func (c *Commit) CheckFreelist() error {
	if c.meta.freelist == noFreelistPage {
		return c.damaged("it holds no list of free pages")
	}
	ids, count, err := c.freelist()
	if err != nil {
		return err
	}

	// The ids rise, behind the two meta pages and within the file.
	last := uint64(1)
	for i := range count {
		id := binary.NativeEndian.Uint64(ids[i*8:])
		if id <= last || id >= c.meta.HighWater {
			return c.damaged("free page %d after %d of %d pages", id, last, c.meta.HighWater)
		}
		last = id
	}
	return nil
}

// freePages returns which pages are free. It expects that CheckFreelist found nothing.
func (c *Commit) freePages() []bool {
	free := make([]bool, c.meta.HighWater)
	ids, count, err := c.freelist()
	if err != nil {
		panic(fmt.Sprintf("BUG: the list of free pages was not checked: %v", err))
	}
	for i := range count {
		free[binary.NativeEndian.Uint64(ids[i*8:])] = true
	}
	return free
}
