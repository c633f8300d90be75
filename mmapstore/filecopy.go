package mmapstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// fileCopy backs a storage by a copy of the file's part on the heap. It remembers what the file
// held, so that only bytes changed here are written back and two storages over one file do not undo
// each other's work. For a sole writer it writes whole pages instead.
type fileCopy struct {
	file *dataFile
	mu   struct {
		sync.Mutex
		clean  []byte // what the file held when it was last read or written; nil if it never is written
		failed bool   // a write failed: the file's state is unknown
	}
}

// copyPage is the unit in which changes are found and written.
const copyPage = 4096

// openCopy reads the file's part.
func openCopy(file *dataFile) (backing, *memory, error) {
	b, err := heapBytes(file.size)
	if err != nil {
		return nil, nil, err
	}
	if err := readFully(file, b, 0); err != nil {
		return nil, nil, err
	}
	c := &fileCopy{file: file}
	if file.mode.toFile() {
		c.mu.clean = bytes.Clone(b)
	}
	return c, hostMemory(b), nil
}

// readFully fills b from off of the file's part.
func readFully(file *dataFile, b []byte, off int64) error {
	n, err := file.ReadAt(b, file.offset+off)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF:
		return fmt.Errorf("%w: it ends %d bytes early", ErrTruncated, len(b)-n)
	}
	return bare(err)
}

// flush writes the changed pages of [off, off+n) and syncs the file.
func (c *fileCopy) flush(m *memory, off, n int64) error {
	if !c.file.mode.toFile() || n == 0 {
		return nil
	}
	if err := c.writeBack(m, off, n); err != nil {
		return err
	}
	return c.file.Sync()
}

// writeBack writes the pages of [off, off+n) that are not what the file holds.
func (c *fileCopy) writeBack(m *memory, off, n int64) error {
	if err := c.file.check(); err != nil {
		return err
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	// Compare whole pages, so that a page nobody has stored to is never written over what another
	// process has written there.
	start := off - m.wholeAt
	for page := start - start%copyPage; page < start+n; page += copyPage {
		now := m.whole[page:min(page+copyPage, int64(len(m.whole)))]
		clean := c.mu.clean[page:][:len(now)]
		if bytes.Equal(now, clean) {
			continue
		}
		if err := c.writePage(now, clean, c.file.offset+page); err != nil {
			c.mu.failed = true
			return bare(err)
		}
		copy(clean, now)
	}
	return nil
}

// writePage writes a changed page at off of the file, whole if nobody else writes to the file.
func (c *fileCopy) writePage(now, clean []byte, off int64) error {
	if !c.file.alone {
		return c.writeRuns(now, clean, off)
	}
	_, err := c.file.WriteAt(now, off)
	return err
}

// writeRuns writes the bytes of a page at off of the file that are not what the file holds, and no
// others: those may have been changed by another storage.
func (c *fileCopy) writeRuns(now, clean []byte, off int64) error {
	for i := 0; i < len(now); {
		if now[i] == clean[i] {
			i++
			continue
		}
		first := i
		for i < len(now) && now[i] != clean[i] {
			i++
		}
		if _, err := c.file.WriteAt(now[first:i], off+int64(first)); err != nil {
			return err
		}
	}
	return nil
}

// advise does nothing: the bytes are in memory.
func (c *fileCopy) advise(*memory, int64, int64, Advice) error { return nil }

// grow keeps the copy and reads what the file has after it.
func (c *fileCopy) grow(m *memory, size int64) (*memory, error) {
	if err := c.file.extend(size); err != nil {
		return nil, err
	}
	b, err := heapBytes(size)
	if err != nil {
		return nil, err
	}
	tail := b[copy(b, m.bytes):]
	if err := readFully(c.file, tail, m.size); err != nil {
		return nil, err
	}
	c.mu.clean = append(c.mu.clean, tail...)
	c.file.resize(size)
	return hostMemory(b), nil
}

func (c *fileCopy) diagnose(off int64) error { return c.file.diagnose(off) }
func (c *fileCopy) check() error             { return c.file.check() }

// free writes back what changed since the last flush, unless a write failed before.
func (c *fileCopy) free(m *memory) error {
	err := error(nil)
	if c.file.mode.toFile() && !c.mu.failed {
		err = c.writeBack(m, 0, m.size)
	}
	return errors.Join(err, c.file.close())
}
