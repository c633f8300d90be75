package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"
	"unsafe"

	"github.com/edsrzf/mmap-go"
	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/tstore/tstore/catalog/internal/boltfile"
	"github.com/tstore/tstore/internal/fsx"
)

// handle is bbolt open for one transaction, and the commit that is read beside it.
type handle struct {
	path   string
	db     *bbolt.DB
	file   *os.File // bbolt's
	info   os.FileInfo
	data   mmap.MMap
	commit *boltfile.Commit
	broken bool // bbolt panicked: its locks may be held
}

// openHandle opens the database. locked says that the catalog's lock is held. Then nobody changes
// the file, and it is checked before bbolt opens it: bbolt trusts what it reads.
func (c *Catalog) openHandle(writable, locked bool) (*handle, error) {
	// Reading under the lock needs no bbolt.
	if locked && !writable {
		if h, err := c.openReading(); h != nil || err != nil {
			return h, err
		}
	}

	h := &handle{path: c.db}
	began := time.Now()
	err := h.protect(func() (err error) {
		h.db, err = bbolt.Open(c.db, 0o644, &bbolt.Options{
			Timeout:      c.opts.LockTimeout,
			FreelistType: bbolt.FreelistArrayType,
			ReadOnly:     !writable,
			NoSync:       c.opts.NoSync,
			NoStatistics: true,
			OpenFile: func(name string, flag int, perm os.FileMode) (*os.File, error) {
				return h.openFile(name, flag, perm, writable, locked)
			},
		})
		// Without the lock the file may change until bbolt holds its own, so it is checked only
		// now.
		if err != nil || locked {
			return err
		}
		return h.load()
	})

	if errors.Is(err, bbolterrors.ErrTimeout) {
		err = lockTimeout(c.db, time.Since(began), "")
	}
	if err != nil {
		return nil, errors.Join(boltError(c.db, err), h.close())
	}

	return h, nil
}

// openReading opens the file for a transaction that only reads and needs no bbolt. It takes the
// lock that bbolt would take, to keep out programs that use bbolt on the file. It returns nil if
// one of them holds the lock.
func (c *Catalog) openReading() (*handle, error) {
	h := &handle{path: c.db}
	err := h.protect(func() (err error) {
		if h.file, err = openFile(c.db, os.O_RDONLY, 0); err != nil {
			return fmt.Errorf("open catalog: %w", err)
		}
		shared, err := boltfile.Share(h.file)
		if err != nil || !shared {
			return err
		}
		return h.load()
	})
	if err != nil || h.commit == nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// openFile opens the file for bbolt. Unlike bbolt it never makes one: a catalog that is gone or
// empty is an error.
func (h *handle) openFile(name string, flag int, perm os.FileMode, writable, locked bool) (_ *os.File, err error) {
	if h.file, err = openFile(name, flag&^os.O_CREATE, perm); err != nil {
		return nil, err
	}
	if !locked {
		return h.file, h.notEmpty()
	}
	if err := h.load(); err != nil {
		return nil, err
	}
	if writable {
		return h.file, h.commit.CheckFreelist()
	}
	return h.file, nil
}

// notEmpty keeps bbolt from making a new database of an empty file.
func (h *handle) notEmpty() (err error) {
	if h.info, err = h.file.Stat(); err == nil && h.info.Size() == 0 {
		err = corrupt(h.path, "it is empty")
	}
	return err
}

// load maps the file and opens the last commit. Its lock is held.
func (h *handle) load() (err error) {
	if err := h.notEmpty(); err != nil {
		return err
	}
	if h.data, err = mmap.Map(h.file, mmap.RDONLY, 0); err != nil {
		return err
	}
	h.commit, err = boltfile.Open(h.data, func(detail string) error { return corrupt(h.path, "%s", detail) })
	return err
}

// boltError says what the terse errors of bbolt.Open mean.
func boltError(path string, err error) error {
	for _, known := range []error{bbolterrors.ErrInvalid, bbolterrors.ErrVersionMismatch, bbolterrors.ErrChecksum} {
		if errors.Is(err, known) {
			return corrupt(path, "it is not a whole bbolt file (%v)", err)
		}
	}
	return fmt.Errorf("open catalog: %w", err)
}

// protect runs bbolt or code that reads the mapping. A fault, or a panic of bbolt, becomes an
// ErrCorrupt.
func (h *handle) protect(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			h.broken = true
			err = corrupt(h.path, "reading it failed: %v", p)
		}
	}()
	return fn()
}

// run runs the callback of a transaction. A fault of the mapping becomes an ErrCorrupt; panics of
// the callback itself pass through.
func (h *handle) run(tx *Tx, fn func(*Tx) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		tx.done = true
		if p := recover(); p != nil {
			if !h.faulted(p) {
				panic(p)
			}
			err = corrupt(h.path, "it was cut off, or its disk failed, while it was read")
		}
	}()
	return fn(tx)
}

// faulted says that a panic is a fault at an address inside the mapping.
func (h *handle) faulted(p any) bool {
	fault, ok := p.(interface{ Addr() uintptr })
	low := uintptr(unsafe.Pointer(unsafe.SliceData(h.data)))
	return ok && fault.Addr() >= low && fault.Addr() < low+uintptr(len(h.data))
}

// close ends bbolt, and with it the lock on the file.
func (h *handle) close() error {
	var err error
	if h.data != nil {
		err = h.data.Unmap()
	}
	if h.db != nil && !h.broken {
		return errors.Join(err, h.db.Close())
	}
	return errors.Join(err, h.abandon())
}

// abandon gives up the file after a failed bbolt.Open, or after a panic in bbolt, whose Close could
// wait for ever for a lock that the panic left behind. bbolt's mapping then stays until the process
// ends, and would keep the file locked.
func (h *handle) abandon() error {
	if h.file == nil {
		return nil
	}
	_ = boltfile.Unlock(h.file) // fails only if bbolt has closed the file
	if err := h.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// begin starts a transaction over the handle's commit.
func (h *handle) begin(ctx context.Context, writable bool) (tx *Tx, err error) {
	err = h.protect(func() error {
		tx, err = begin(ctx, h.path, h.commit, writable)
		return err
	})
	return tx, err
}

// openFile opens a file of the catalog, also for bbolt. It must be a regular file. A link could
// lead anywhere, and whoever can write to the folder can make one. Opening a pipe would wait.
func openFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return fsx.OpenWithin(filepath.Dir(name), name, flag, perm)
}
