package catalog

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"

	"github.com/tstore/tstore/internal/fsx"
)

// Image is an open snapshot: a catalog that never changes. Reading it takes no lock, and waits for
// nobody. All methods may be called by several goroutines at once.
type Image struct {
	snapshot Snapshot
	handle   handle
	open     sync.RWMutex // held shared by what reads, so that Close can wait for it
	closed   bool
}

// OpenImage opens the file of a snapshot of this catalog. ErrCorrupt when it is missing, or not
// what was written.
func (c *Catalog) OpenImage(s Snapshot) (*Image, error) {
	path := filepath.Join(c.dir, filepath.FromSlash(s.File()))
	if _, err := c.fs.Stat(path); errors.Is(err, fsx.ErrLink) {
		return nil, err
	}
	return c.OpenImageAt(path, s)
}

// OpenImageAt is OpenImage of a copy of the catalog that lies elsewhere.
func (c *Catalog) OpenImageAt(path string, s Snapshot) (*Image, error) {
	m := &Image{snapshot: s, handle: handle{path: path}}
	if err := m.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("snapshot %q: %w", s.Name, err), m.handle.close())
	}
	err := m.View(context.Background(), func(tx *Tx) error {
		if tx.meta.Store != c.StoreID() {
			return corrupt(m.handle.path, "it belongs to store %s", tx.meta.Store)
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("snapshot %q: %w", s.Name, err), m.handle.close())
	}
	return m, nil
}

func (m *Image) load() error {
	h := &m.handle
	err := h.loadFile()
	if errors.Is(err, os.ErrNotExist) {
		return corrupt(h.path, "it is missing")
	}
	if err != nil {
		return err
	}
	if size := h.info.Size(); size != m.snapshot.Bytes {
		return corrupt(h.path, "it has %d bytes, expected %d", size, m.snapshot.Bytes)
	}
	return nil
}

// loadFile maps a file that nobody changes.
func (h *handle) loadFile() error {
	return h.protect(func() (err error) {
		if h.file, err = openFile(h.path, os.O_RDONLY, 0); err != nil {
			return err
		}
		if err := h.load(); err != nil {
			return err
		}
		err = h.file.Close()
		h.file = nil
		return err
	})
}

// InspectImage reads a snapshot's file of which the catalog knows nothing, as when that was lost.
// All of it is checked: ErrCorrupt says what is wrong first. What the file itself tells of the
// snapshot is returned: its number, Bytes and Sum. look sees what is in it.
func InspectImage(ctx context.Context, path string, look func(*Tx) error) (Snapshot, error) {
	m := &Image{handle: handle{path: path}}
	err := m.handle.loadFile()

	if err == nil {
		err = m.View(ctx, func(tx *Tx) error {
			m.snapshot.Seq, m.snapshot.Bytes = tx.meta.Snapshots+1, int64(len(tx.commit.Data()))
			m.snapshot.Sum = crc32.Checksum(tx.commit.Data(), castagnoli)
			found, err := tx.check()
			if err == nil && len(found) > 0 {
				err = corrupt(path, "%s", found[0].Detail)
			}
			if err != nil {
				return err
			}
			return look(tx)
		})
	}

	return m.snapshot, errors.Join(err, m.Close())
}

// Snapshot describes what is open.
func (m *Image) Snapshot() Snapshot { return m.snapshot }

// View runs fn in a read-only transaction. No lock is held, so fn may take its time. ctx ends long
// iterations.
func (m *Image) View(ctx context.Context, fn func(*Tx) error) error {
	m.open.RLock()
	defer m.open.RUnlock()
	if m.closed {
		return fmt.Errorf("snapshot %q: %w", m.snapshot.Name, ErrClosed)
	}
	h := m.handle
	tx, err := h.begin(ctx, false)
	if err != nil {
		return err
	}
	return h.run(tx, fn)
}

// Lookup returns the entry of name, or ErrNotFound.
func (m *Image) Lookup(ctx context.Context, name string) (e *Entry, err error) {
	err = m.View(ctx, func(tx *Tx) error {
		e, err = tx.entry(name)
		return err
	})
	return e, err
}

// castagnoli is the polynomial of the sums of snapshots' files.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumPiece is how much Verify reads between looks at the context.
const sumPiece = 8 << 20

// Verify reads the whole file. It returns ErrCorrupt if the file is not as it was written.
func (m *Image) Verify(ctx context.Context) error {
	return m.View(ctx, func(tx *Tx) error {
		sum := uint32(0)
		for data := tx.commit.Data(); len(data) > 0; {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(len(data), sumPiece)
			sum = crc32.Update(sum, castagnoli, data[:n])
			data = data[n:]
		}
		if sum != m.snapshot.Sum {
			return corrupt(m.handle.path, "its checksum is %08x, expected %08x", sum, m.snapshot.Sum)
		}
		return nil
	})
}

// Close waits for what reads, and lets go of the file. Later calls of other methods return
// ErrClosed.
func (m *Image) Close() error {
	m.open.Lock()
	defer m.open.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	return m.handle.close()
}
