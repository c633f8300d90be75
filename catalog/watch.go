package catalog

import (
	"errors"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/edsrzf/mmap-go"

	"github.com/tstore/tstore/catalog/internal/boltfile"
)

// watch shows the meta pages of one catalog file without any lock: through a small mapping, or by
// reading where mapping fails. Seeing half of a meta page that is just being written does no harm:
// it equals nothing seen before.
type watch struct {
	info     os.FileInfo // tells the file from one that replaced it
	pageSize int
	mapped   mmap.MMap
	file     *os.File // for reading, when mapped is nil
}

// newWatch watches the file of an open handle. It opens the file once more: a mapping keeps its
// descriptor's flock held, and that of bbolt has to go with the transaction. On Windows it reads:
// no file takes the place of one that is mapped.
func newWatch(h *handle) (*watch, error) {
	f, err := openFile(h.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	w := &watch{pageSize: h.commit.Meta().PageSize, file: f}
	if w.info, err = f.Stat(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if runtime.GOOS == "windows" {
		return w, nil
	}
	if w.mapped, err = mmap.MapRegion(f, 2*w.pageSize, mmap.RDONLY, 0, 0); err != nil {
		w.mapped = nil
		return w, nil
	}
	return w, f.Close()
}

// shows says that the file's meta pages are those of m. A fault, because the file was cut off,
// counts as no.
func (w *watch) shows(m *boltfile.Metas) (same bool) {
	if w.mapped == nil {
		return w.fileShows(m)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return m.In(w.mapped, w.pageSize)
}

func (w *watch) fileShows(m *boltfile.Metas) bool {
	now, err := boltfile.ReadMetas(w.file, w.pageSize)
	return err == nil && now == *m
}

func (w *watch) close() error {
	if w.mapped != nil {
		return w.mapped.Unmap()
	}
	return w.file.Close()
}

// TxID returns the number of the last transaction that was committed. It needs no lock: what it
// returns may be out of date at once, but a number never stands for two states of a catalog.
// Compact and Rebuild start it again.
func (c *Catalog) TxID() (uint64, error) {
	if c.closed.Load() {
		return 0, ErrClosed
	}
	m, err := readMeta(c.db)
	return m.TxID, err
}

// readMeta reads the current meta page of a file through a new descriptor, without a lock.
func readMeta(path string) (boltfile.Meta, error) {
	f, err := openFile(path, os.O_RDONLY, 0)
	if err != nil {
		return boltfile.Meta{}, err
	}
	defer f.Close()
	m, ok, err := boltfile.ReadMeta(f)
	if err == nil && !ok {
		err = corrupt(path, "no valid meta page")
	}
	return m, err
}
