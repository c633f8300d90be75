package mmapstore

import (
	"errors"
	"fmt"
	"os"
)

// File allocates in temporary files that are mapped: for intermediate results larger than memory.
// Disk space is reserved at once, and is given back when the block is freed or the process ends.
type File struct {
	// Dir holds the files; empty means os.TempDir.
	Dir string
	// OnFree, if set, is called when a block of size bytes is freed. It must call release once, now
	// or later: release unmaps and closes the file, which takes some 100 ms for gigabytes.
	OnFree func(size int64, release func() error) error
}

// Place is CPU.
func (File) Place() Place { return CPU }

// Alloc returns zeroed bytes that start on a page. A full disk is an error here.
func (a File) Alloc(size int64) (Block, error) {
	f, err := os.CreateTemp(a.Dir, "tstore-*.tmp")
	if err != nil {
		return Block{}, fmt.Errorf("temporary file: %w", err)
	}

	// Unlink the file at once: its space is then given back even if the process dies.
	removed := os.Remove(f.Name()) == nil // fails on Windows, where open files stay
	end := func() error {
		err := f.Close()
		if !removed {
			err = errors.Join(err, os.Remove(f.Name()))
		}
		return err
	}

	blk, err := fileBlock(f, size, end)
	if err != nil {
		return Block{}, errors.Join(fmt.Errorf("temporary file %q: %w", f.Name(), err), end())
	}

	if release := blk.free; a.OnFree != nil {
		blk.free = func() error { return a.OnFree(size, release) }
	}
	return blk, nil
}

// fileBlock makes the new file f size bytes long and maps it. end is called after the unmapping.
func fileBlock(f *os.File, size int64, end func() error) (Block, error) {
	if err := reserve(f, 0, size, false); err != nil {
		return Block{}, err
	}

	b := &block{kind: KindFile, place: CPU}
	if heapStandsIn(size) {
		bytes, err := heapBytes(size)
		if err != nil {
			return Block{}, err
		}
		b.mem, b.free = hostMemory(bytes), end
		return newBlock(b), nil
	}

	b.mapped = true
	b.file = &dataFile{File: f, size: size, mode: Create}
	m, err := mapPart(b.file, size)
	if err != nil {
		return Block{}, err
	}

	b.mem = m
	b.free = func() error { return errors.Join(unmap(m.whole, f.Name()), end()) }
	return newBlock(b), nil
}
