package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/tstore/tstore/catalog/internal/boltfile"
	"github.com/tstore/tstore/internal/filelock"
)

// Rebuild replaces the catalog in the folder dir, however damaged or even missing, by one that
// belongs to store id (a new id when zero) and holds what fill puts. The former file is kept as
// catalog.db.<time>.bad. Handles of this and other processes see the new catalog from their next
// call on. After an error the former catalog is still in place, unless the error says that the new
// one is.
//
// The catalog's lock is held all the time, and waited for as long as o says, which may be nil.
// Memory stays flat however much fill puts, but iterations of the Tx end with an error when fill
// puts a lot meanwhile.
func Rebuild(ctx context.Context, dir string, id ID, o *Options, fill func(*Tx) error) error {
	c, err := newCatalog(dir, o)
	if err != nil {
		return err
	}

	if err := c.ensureLockFile(); err != nil {
		return err
	}

	unlock, locked, err := c.lock(ctx, filelock.Exclusive)
	if err != nil {
		return err
	}
	defer unlock()

	if !locked {
		return fmt.Errorf("rebuild %q: %w", c.db, filelock.ErrUnsupported)
	}

	if id.IsZero() {
		id = NewID()
	}

	// Build beside the former catalog: an interruption leaves that one in place.
	tmp := &Catalog{dir: c.dir, db: c.db + ".tmp", fs: c.fs, opts: c.opts}
	if err := tmp.rebuild(ctx, id, fill); err != nil {
		return errors.Join(err, c.remove(tmp.db))
	}

	return c.replaceBy(tmp.db)
}

// rebuild makes a catalog at c.db, which nobody else knows of.
func (c *Catalog) rebuild(ctx context.Context, id ID, fill func(*Tx) error) (err error) {
	if err := c.build(c.db, id); err != nil {
		return err
	}

	h, err := c.openHandle(true, true)
	if err != nil {
		return err
	}
	defer func() {
		if failed := h.close(); failed != nil {
			err = errors.Join(err, failed)
		}
	}()

	tx, err := h.begin(ctx, true)
	if err != nil {
		return err
	}

	// What fill puts is committed in parts, so that memory stays flat.
	tx.spill = func() error {
		var err error
		h, err = c.spill(h, tx)
		return err
	}

	err = h.run(tx, func(tx *Tx) error {
		if err := errors.Join(tx.MarkRestored(), fill(tx)); err != nil {
			return err
		}
		return tx.spill()
	})
	return err
}

// spill commits what tx has changed so far, and lets it go on over the result.
func (c *Catalog) spill(h *handle, tx *Tx) (*handle, error) {
	if err := c.commit(h, tx); err != nil {
		return h, err
	}
	if err := h.close(); err != nil {
		return &handle{}, err
	}
	h, err := c.openHandle(true, true)
	if err != nil {
		return &handle{}, err
	}
	return h, tx.rebase(h.commit)
}

// replaceBy puts the finished catalog tmp in the place of the old one, of which it keeps a copy.
func (c *Catalog) replaceBy(tmp string) error {
	old, err := openFile(c.db, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return c.publish(tmp, c.db)
	}
	if err != nil {
		return err
	}
	err = c.keepCopy(old, fmt.Sprintf("%s.%s.bad", c.db, time.Now().UTC().Format("20060102T150405.000000000Z")))
	if err == nil {
		err = c.publish(tmp, c.db)
	}
	if err == nil {
		err = retire(old)
	}
	return errors.Join(err, old.Close())
}

// keepCopy copies a file durably.
func (c *Catalog) keepCopy(from *os.File, to string) error {
	f, err := openFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(fmt.Errorf("keep a copy of %q (move it away to go on without): %w", from.Name(), err), c.remove(to))
	}
	return nil
}

// retire wipes the meta pages of a catalog file that has lost its name, so that whoever still
// watches it notices.
func retire(old *os.File) error {
	m, ok, err := boltfile.ReadMeta(old)
	if err != nil || !ok {
		return err
	}
	return boltfile.WipeMetas(old, m.PageSize)
}
