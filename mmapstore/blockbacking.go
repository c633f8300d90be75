package mmapstore

import (
	"errors"
	"fmt"
)

// blockBacking backs a storage by a block of an allocator.
type blockBacking struct {
	alloc Allocator
	block Block
}

// flush has nothing to do: the bytes end with the process.
func (*blockBacking) flush(*memory, int64, int64) error { return nil }

// advise reaches memory that came from a mapping; the run-time looks after the rest.
func (b *blockBacking) advise(m *memory, off, n int64, a Advice) error {
	switch {
	case b.block.file != nil:
		return adviseFile(b.block.file, m, off, n, a)
	case b.block.mapped:
		return adviseMemory(m, off, n, a)
	}
	return nil
}

// grow moves the bytes to a larger block.
func (b *blockBacking) grow(m *memory, size int64) (grown *memory, err error) {
	if b.block.place != CPU {
		return nil, fmt.Errorf("%w: a block on %s can't grow", ErrPlace, b.block.place)
	}
	larger, err := allocate(b.alloc, size)
	if err != nil {
		return nil, err
	}
	unused := larger
	defer func() { err = errors.Join(err, unused.Free()) }()
	copyChunks(larger.Bytes(), m.bytes) // a fault leaves the larger one to be freed
	unused, b.block = b.block, larger
	return larger.mem, nil
}

func (b *blockBacking) diagnose(off int64) error {
	if b.block.file != nil {
		return b.block.file.diagnose(off)
	}
	return errors.New("the memory is not accessible")
}

func (b *blockBacking) check() error { return nil }

func (b *blockBacking) free(*memory) error { return b.block.Free() }

// borrowed backs a storage over memory that belongs to somebody else.
type borrowed struct{}

func (borrowed) flush(*memory, int64, int64) error          { return nil }
func (borrowed) advise(*memory, int64, int64, Advice) error { return nil }
func (borrowed) check() error                               { return nil }
func (borrowed) free(*memory) error                         { return nil }

func (borrowed) grow(*memory, int64) (*memory, error) {
	return nil, errors.New("borrowed memory can't grow: copy it to a storage of its own")
}

func (borrowed) diagnose(int64) error {
	return errors.New("borrowed memory is not accessible: is its mapping cut or closed?")
}
