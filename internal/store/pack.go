package store

import (
	"encoding/json"
	"errors"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/mapped"
	"github.com/tstore/tstore/internal/storefile"
)

const (
	// PackLimit is the largest tensor that may share a file with others made in the same
	// transaction.
	PackLimit = 64 << 10
	// maxOwnFiles is how many tensors up to PackLimit get files of their own in a transaction. All
	// files of a transaction become durable at once.
	maxOwnFiles = 1000
	// filesOfEach is how many descriptors a process must be allowed for each of them: one for the
	// file and one for its lock, in half of all there are.
	filesOfEach = 4
	// packBytes is the size at which a shared file is full.
	packBytes = 64 << 20
	// packEntries is the number of tensors at which a shared file is full: it bounds the list of
	// them.
	packEntries = 1 << 16
	// packBuffer is the memory that a pack's elements pass through.
	packBuffer = 4 << 20
	// packAlign keeps each tensor on a cache line.
	packAlign = 64
)

// OwnFiles returns how many small tensors get files of their own in a transaction. The process must
// be able to have them open.
func OwnFiles() int64 { return min(maxOwnFiles, mapped.Descriptors()/filesOfEach) }

// pack is a storage file that many small tensors share: all of them sealed, or
// none. A pack that ends up
// with one tensor is an ordinary storage.
type pack struct {
	file    *engine.Staged
	buf     []byte
	flushed int64
	entries []packEntry
	// first describes the first tensor.
	first Spec
}

// packEntry says where one tensor lies in the payload. The list of them follows the last tensor, so
// that a pack can be read without the catalog.
type packEntry struct {
	Name    string   `json:"name"`
	DType   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Fortran bool     `json:"fortran,omitempty"`
	Offset  int64    `json:"offset"`
	Dims    []string `json:"dims,omitempty"`
}

// mustBeThere puts the storage into the catalog unless it is there.
func (p *pack) mustBeThere(c *catalog.Tx) error {
	_, err := c.Storage(p.file.Storage.ID)
	if errors.Is(err, ErrNotFound) {
		return c.PutStorage(p.file.Storage)
	}
	return err
}

func (p *pack) size() int64 { return p.flushed + int64(len(p.buf)) }

// add copies n bytes of elements into the pack and returns their offset.
func (p *pack) add(name string, src Source, n int64) (int64, error) {
	// Aligned, so that the elements of each tensor can be mapped as they are.
	for p.size()%packAlign != 0 {
		p.buf = append(p.buf, 0)
	}
	off := p.size()
	start := len(p.buf)

	p.buf = append(p.buf, make([]byte, n)...)
	if src.Data != nil {
		if err := readExactly(src.Data, p.buf[start:]); err != nil {
			p.buf = p.buf[:start]
			return 0, err
		}
	}

	if len(p.entries) == 0 {
		p.first = src.Spec
	}
	p.entries = append(p.entries, packEntry{
		Name: name, DType: src.DType.String(), Shape: src.Shape,
		Fortran: src.Order == ColumnMajor, Offset: off, Dims: src.Dims,
	})

	if len(p.buf) >= packBuffer {
		return off, p.flush()
	}
	return off, nil
}

func (p *pack) flush() error {
	at := storefile.HeaderBytes + p.flushed
	if err := fsx.Reserve(p.file.File, at, int64(len(p.buf))); err != nil {
		return err
	}
	if _, err := p.file.File.WriteAt(p.buf, at); err != nil {
		return err
	}
	if p.file.Sums != nil {
		p.file.Sums.Add(p.buf, p.flushed)
	}
	p.flushed += int64(len(p.buf))
	p.buf = p.buf[:0]
	return nil
}

// finish completes the file. If the pack has one tensor, the header describes it; otherwise a list
// of the tensors stands after the last one, and the header describes plain bytes.
func (p *pack) finish() error {
	if len(p.entries) > 1 {
		list, err := json.Marshal(p.entries)
		if err != nil {
			return err
		}
		p.file.Header.Spare.Pack = &[2]int64{p.size(), int64(len(list))}
		p.buf = append(p.buf, list...)
	}

	// The list stands behind the elements, so it is written with the last of them.
	if err := p.flush(); err != nil {
		return err
	}
	p.file.Storage.PayloadBytes = p.flushed

	h := &p.file.Header
	if len(p.entries) > 1 {
		h.DType, h.Shape = dtype.Uint8, []int{int(p.flushed)}
		return nil
	}

	h.DType, h.Shape, h.Fortran = p.first.DType, p.first.Shape, p.first.Order == ColumnMajor
	h.Spare.Name, h.Spare.Dims = p.entries[0].Name, p.first.Dims
	return nil
}

// closePack completes the shared file, when there is one.
func (tx *Tx) closePack() error {
	p := tx.pack
	if p == nil {
		return nil
	}
	tx.pack = nil
	tx.Files = append(tx.Files, p.file)
	if err := p.finish(); err != nil {
		return err
	}
	return tx.seal(p.file)
}
