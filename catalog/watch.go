package catalog

import (
	"errors"
	"io"
	"os"
	"runtime/debug"

	"github.com/edsrzf/mmap-go"
)

// metaPair is the checksummed part of the two meta pages, as they stand in the file. Two equal pairs of one file mean
// that nothing was committed in between, since every commit has a higher transaction id.
type metaPair [2][metaBytes]byte

// metas returns the meta pages of a snapshot.
func (s *snapshot) metas() (m metaPair) {
	copy(m[0][:], s.data[pageHeader:])
	copy(m[1][:], s.data[s.meta.pageSize+pageHeader:])
	return m
}

// watch shows the meta pages of one catalog file without any lock: through a small mapping, or by reading where mapping
// fails. Seeing half of a meta page that is just being written does no harm: it equals nothing seen before.
type watch struct {
	info     os.FileInfo // tells the file from one that replaced it
	pageSize int
	mapped   mmap.MMap
	file     *os.File // for reading, when mapped is nil
}

// newWatch watches the file of an open handle. It opens the file once more: a mapping keeps its descriptor's flock held,
// and that of bbolt has to go with the transaction.
func newWatch(h *handle) (*watch, error) {
	f, err := openFile(h.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	w := &watch{pageSize: h.snap.meta.pageSize, file: f}
	if w.info, err = f.Stat(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if w.mapped, err = mmap.MapRegion(f, 2*w.pageSize, mmap.RDONLY, 0, 0); err != nil {
		w.mapped = nil
		return w, nil
	}
	return w, f.Close()
}

// shows says that the file's meta pages are those of m. A fault, because the file was cut off, counts as no.
func (w *watch) shows(m *metaPair) (same bool) {
	if w.mapped == nil {
		return w.fileShows(m)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return string(w.mapped[pageHeader:pageHeader+metaBytes]) == string(m[0][:]) &&
		string(w.mapped[w.pageSize+pageHeader:w.pageSize+pageHeader+metaBytes]) == string(m[1][:])
}

func (w *watch) fileShows(m *metaPair) bool {
	var now metaPair
	_, err0 := w.file.ReadAt(now[0][:], pageHeader)
	_, err1 := w.file.ReadAt(now[1][:], int64(w.pageSize)+pageHeader)
	return err0 == nil && err1 == nil && now == *m
}

func (w *watch) close() error {
	if w.mapped != nil {
		return w.mapped.Unmap()
	}
	return w.file.Close()
}

// TxID returns the number of the last transaction that was committed. It needs no lock: what it returns may be out of
// date at once, but a number never stands for two states of a catalog. Compact and Rebuild start it again.
func (c *Catalog) TxID() (uint64, error) {
	if c.closed.Load() {
		return 0, ErrClosed
	}
	m, err := readBoltMeta(c.db)
	return m.txid, err
}

// readBoltMeta reads the current meta page of a file through a new descriptor, without a lock. A commit at the same time
// does no harm: it overwrites the older meta page.
func readBoltMeta(path string) (boltMeta, error) {
	f, err := openFile(path, os.O_RDONLY, 0)
	if err != nil {
		return boltMeta{}, err
	}
	defer f.Close()
	for size := 2 * os.Getpagesize(); ; size *= 4 {
		head := make([]byte, size)
		n, err := f.ReadAt(head, 0)
		if err != nil && err != io.EOF {
			return boltMeta{}, err
		}
		if m, ok := findBoltMeta(head[:n]); ok {
			return m, nil
		}
		if err == io.EOF || size > 2*maxPageSize {
			return boltMeta{}, corrupt(path, "no valid meta page")
		}
	}
}
