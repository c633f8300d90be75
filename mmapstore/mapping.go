package mmapstore

import (
	"errors"
	"fmt"

	mmap "github.com/edsrzf/mmap-go"
)

// mapping backs a storage by a mapped file.
type mapping struct{ file *dataFile }

// openMapping maps the file's part.
func openMapping(file *dataFile) (backing, *memory, error) {
	m, err := mapPart(file, file.size)
	if err != nil {
		return nil, nil, err
	}
	if len(m.whole) > 0 {
		heldMappings.Add(1)
	}
	return mapping{file}, m, nil
}

// mapPart maps size bytes from the file's offset, rounded down to where a mapping may start.
// Nothing is mapped for no bytes.
func mapPart(file *dataFile, size int64) (*memory, error) {
	if size == 0 {
		return hostMemory([]byte{}), nil
	}
	lead := file.offset % granularity
	whole, err := mapSpread(func() (mmap.MMap, error) {
		return mapRegion(file.File, int(lead+size), protection(file.mode), 0, file.offset-lead)
	})
	if err != nil {
		return nil, fmt.Errorf("map %d bytes at offset %d: %w", size, file.offset, err)
	}
	return &memory{bytes: whole[lead : lead+size : lead+size], size: size, whole: whole, wholeAt: -lead}, nil
}

func protection(mode Mode) int {
	switch mode {
	case Shared, Create:
		return mmap.RDWR
	case Private:
		return mmap.COPY
	}
	return mmap.RDONLY
}

// flush writes the pages around [off, off+n) to the disk. A file that was cut meanwhile has lost
// bytes without an error of the kernel's.
func (p mapping) flush(m *memory, off, n int64) error {
	if !p.file.mode.toFile() || n == 0 {
		return nil
	}
	start := off - m.wholeAt
	if err := flushPages(p.file.File, m.whole, start-start%granularity, start+n); err != nil {
		return err
	}
	return p.file.check()
}

func (p mapping) advise(m *memory, off, n int64, a Advice) error {
	return adviseFile(p.file, m, off, n, a)
}

// grow maps the longer file anew before it gives up the old mapping.
func (p mapping) grow(m *memory, size int64) (*memory, error) {
	if err := p.file.extend(size); err != nil {
		return nil, err
	}
	grown, err := mapPart(p.file, size)
	if err != nil {
		return nil, err
	}
	p.file.resize(size)
	if len(m.whole) == 0 && len(grown.whole) > 0 {
		heldMappings.Add(1)
	}
	return grown, unmap(m.whole, p.file.Name())
}

func (p mapping) diagnose(off int64) error { return p.file.diagnose(off) }
func (p mapping) check() error             { return p.file.check() }

// free unmaps and closes the file.
func (p mapping) free(m *memory) error {
	if len(m.whole) > 0 {
		heldMappings.Add(-1)
	}
	return errors.Join(unmap(m.whole, p.file.Name()), p.file.close())
}

// unmap ends a mapping, or makes it inaccessible for good where closed mappings are remembered.
func unmap(whole []byte, name string) error {
	if len(whole) == 0 {
		return nil
	}
	leaveSlot(whole)
	if bury(whole, name) {
		return nil
	}
	return unmapRegion(whole)
}
