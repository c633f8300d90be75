package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"

	"github.com/tstore/tstore/catalog/internal/boltfile"
	"github.com/tstore/tstore/internal/filelock"
)

// Compact replaces the catalog's file, which never shrinks by itself, by a copy without free pages,
// and returns the bytes before and after. Handles of this and other processes see the copy from
// their next call on, and wait meanwhile: a few seconds for a million records. Values are copied as
// they are, damaged ones too. A tree that cannot be walked to its end is ErrCorrupt. After an error
// the former file is still in place, unless the error says that the new one is.
func (c *Catalog) Compact(ctx context.Context) (before, after int64, err error) {
	c.transactions.RLock()
	defer c.transactions.RUnlock()

	switch {
	case c.closed.Load():
		return 0, 0, fmt.Errorf("%q: %w", c.db, ErrClosed)
	case c.opts.ReadOnly:
		return 0, 0, fmt.Errorf("%q: %w", c.db, ErrReadOnly)
	}

	unlock, locked, err := c.lock(ctx, filelock.Exclusive)
	if err != nil {
		return 0, 0, err
	}
	defer unlock()
	if !locked {
		return 0, 0, fmt.Errorf("compact %q: %w", c.db, filelock.ErrUnsupported)
	}

	tmp := c.db + ".tmp"
	if before, err = c.copyTo(ctx, tmp); err != nil {
		return 0, 0, errors.Join(fmt.Errorf("compact %q: %w", c.db, err), c.remove(tmp))
	}

	fi, err := os.Stat(tmp)
	if err != nil {
		return 0, 0, err
	}

	// swap syncs the copy before it takes the name.
	return before, fi.Size(), c.swap(tmp)
}

// swap puts the finished file tmp in the place of the catalog. It marks the former file as retired,
// so that nobody reads it any more.
func (c *Catalog) swap(tmp string) error {
	// Open the former file first: once its name leads to the new one, nothing else reaches it.
	old, err := openFile(c.db, os.O_RDWR, 0)
	if err != nil {
		return errors.Join(err, c.remove(tmp))
	}
	if err = c.publish(tmp, c.db); err == nil {
		err = retire(old)
	}
	return errors.Join(err, old.Close())
}

// copyTo writes all buckets to a new database, and returns the size of the old one.
func (c *Catalog) copyTo(ctx context.Context, path string) (size int64, err error) {
	h, err := c.openReading()
	if err != nil {
		return 0, err
	}

	if h == nil {
		return 0, errors.New("another program has it open")
	}
	defer func() { err = errors.Join(err, h.close()) }()

	if err := c.makeEmpty(path); err != nil {
		return 0, err
	}

	db, err := bbolt.Open(path, 0o644, &bbolt.Options{
		Timeout: time.Second, FreelistType: bbolt.FreelistArrayType, NoSync: true, PageSize: h.commit.Meta().PageSize, OpenFile: openFile,
	})
	if err != nil {
		return 0, err
	}

	err = h.protect(func() error { return copyBuckets(ctx, db, h) })
	return int64(len(h.data)), errors.Join(err, db.Close())
}

// copyBuckets copies every bucket of a commit, those that this version does not know too.
func copyBuckets(ctx context.Context, db *bbolt.DB, h *handle) error {
	cur := h.commit.Buckets().Cursor()
	key, err := cur.Seek(nil)
	for ; key != nil && err == nil; key, err = cur.Next() {
		t, ok, err := h.commit.Bucket(string(key))
		if err != nil {
			return err
		}
		if !ok {
			return corrupt(h.path, "bucket %q is missing", key)
		}
		if err := copyBucket(ctx, db, h.path, string(key), t); err != nil {
			return err
		}
	}
	return err
}

// copyBytes is how much one transaction of a copy writes, about.
const copyBytes = 16 << 20

// copyBucket copies the pairs of one bucket of the file at path in their order.
func copyBucket(ctx context.Context, db *bbolt.DB, path, name string, t boltfile.Tree) error {
	cur := t.Cursor()
	key, err := cur.Seek(nil)

	// Make the bucket even if it holds nothing, and fill it in transactions of some size: one for
	// all would keep all of it in memory.
	for first := true; first || key != nil; first = false {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			to, err := tx.CreateBucketIfNotExists([]byte(name))
			if err != nil {
				return err
			}
			to.FillPercent = 0.9 // keys come in order, and some room is left for changes

			for size := 0; key != nil && size < copyBytes; {
				value, isBucket, err := cur.Value()
				if err != nil {
					return err
				}
				if isBucket {
					return corrupt(path, "key %q of bucket %q holds a bucket", key, name)
				}
				if err := to.Put(key, value); err != nil {
					return err
				}
				size += len(key) + len(value)
				if key, err = cur.Next(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return err
}
