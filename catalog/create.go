package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/tstore/tstore/catalog/internal/wire"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"go.etcd.io/bbolt"
)

// Create makes an empty catalog in the folder dir, which must exist, and opens it. ErrExists means
// that there is one. The catalog is built under another name, synced and renamed, so that after a
// crash it is there in full or not at all.
func Create(ctx context.Context, dir string, o *Options) (*Catalog, error) {
	c, err := newCatalog(dir, o)
	if err != nil {
		return nil, err
	}
	if c.opts.ReadOnly {
		return nil, fmt.Errorf("create catalog in %q: %w", dir, ErrReadOnly)
	}
	if err := c.ensureLockFile(); err != nil {
		return nil, err
	}
	if err := c.create(ctx); err != nil {
		return nil, err
	}
	return Open(ctx, dir, o)
}

func (c *Catalog) create(ctx context.Context) error {
	unlock, _, err := c.lock(ctx, filelock.Exclusive)
	if err != nil {
		return err
	}
	defer unlock()

	// Look under the lock: another process may have made the catalog while this one waited.
	if _, err := os.Stat(c.db); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("catalog %q %w", c.db, ErrExists)
		}
		return err
	}

	id := c.opts.StoreID
	if id.IsZero() {
		id = NewID()
	}

	tmp := c.db + ".tmp"
	if err := c.build(tmp, id); err != nil {
		return errors.Join(err, c.remove(tmp))
	}

	return c.publish(tmp, c.db)
}

// build makes an empty catalog at path, replacing what a crash may have left there.
func (c *Catalog) build(path string, id ID) error {
	if err := c.makeEmpty(path); err != nil {
		return err
	}
	db, err := bbolt.Open(path, 0o644, &bbolt.Options{Timeout: time.Second, FreelistType: bbolt.FreelistArrayType, OpenFile: openFile})
	if errors.Is(err, syscall.ENODEV) {
		return fmt.Errorf("build catalog: the file system can't map files, as some network and FUSE file systems can't: put the store on a local disk: %w", err)
	}
	if err != nil {
		return fmt.Errorf("build catalog: %w", err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return fill(tx, id) })
	return errors.Join(err, db.Close())
}

// makeEmpty makes an empty file for bbolt, in the place of what a crash may have left there.
func (c *Catalog) makeEmpty(path string) error {
	if err := c.remove(path); err != nil {
		return err
	}
	f, err := c.fs.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

// fill makes the buckets and says whose catalog this is.
func fill(tx *bbolt.Tx, id ID) error {
	for _, name := range allBuckets {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	b := tx.Bucket([]byte(metaBucket))
	m := Meta{Store: id, Created: time.Now().UTC()}
	return errors.Join(
		b.Put(formatKey, fmt.Append(nil, FormatVersion)),
		b.Put(storeKey, wire.Seal(wire.Version, metaBucket, storeKey, encodeMeta(m))),
		b.Put(floorKey, wire.Seal(wire.Version, metaBucket, floorKey, encodeFloor(floor{}))))
}

// publish syncs a finished file, gives it its name, and syncs the folder.
func (c *Catalog) publish(tmp, path string) error {
	f, err := c.fs.OpenFile(tmp, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(fsx.Publish(c.fs, f, tmp, path), f.Close())
}

func (c *Catalog) remove(path string) error {
	if err := c.fs.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
