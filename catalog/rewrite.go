package catalog

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
)

// MarkBackup says that the catalog is a backup, which nobody changes.
func (tx *Tx) MarkBackup(b Backup) error {
	m := tx.meta
	m.Backup = b
	return tx.putMeta(m)
}

// MarkRestored says that the catalog was a backup, or lost, and goes on as that of a store of its
// own.
func (tx *Tx) MarkRestored() error {
	m := tx.meta
	m.Backup, m.Lineage = Backup{}, NewID()
	return tx.putMeta(m)
}

func (tx *Tx) putMeta(m Meta) error {
	if err := tx.writing(); err != nil {
		return err
	}
	tx.meta = m
	return tx.metas.put(storeKey, encodeMeta(m))
}

// Rewrite makes dst, a new file, a copy of the catalog in the file src that change has changed, and
// describes it: its bytes and their CRC-32C. Nobody may change src or look at dst meanwhile. dst is
// synced; after an error it is gone.
func Rewrite(ctx context.Context, src, dst string, change func(*Tx) error) (bytes int64, sum uint32, err error) {
	err = rewrite(ctx, src, dst, change)
	if err == nil {
		bytes, sum, err = finish(dst)
	}
	if err != nil {
		if gone := os.Remove(dst); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
		return 0, 0, fmt.Errorf("copy catalog %q: %w", src, err)
	}
	return bytes, sum, nil
}

func rewrite(ctx context.Context, src, dst string, change func(*Tx) error) (err error) {
	if err := copyFile(ctx, src, dst); err != nil {
		return err
	}

	c, err := newCatalog(filepath.Dir(dst), &Options{NoSync: true})
	if err != nil {
		return err
	}
	c.db = dst

	h, err := c.openHandle(true, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.close()) }()

	tx, err := h.begin(ctx, true)
	if err != nil {
		return err
	}

	if err := h.run(tx, change); err != nil {
		return err
	}

	return c.commit(h, tx)
}

// copyFile copies the pages of a catalog that are in use.
func copyFile(ctx context.Context, src, dst string) error {
	from, err := fsx.Within(fsx.OS, filepath.Dir(src)).OpenFile(src, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer from.Close()
	fi, err := from.Stat()
	if err != nil {
		return err
	}
	to, err := fsx.OS.OpenFile(dst, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = fsx.Clone(ctx, to, from, fi.Size())
	return errors.Join(err, to.Close())
}

// finish cuts what is beyond the pages in use, syncs the file, and sums it.
func finish(path string) (bytes int64, sum uint32, err error) {
	m, err := readMeta(path)
	if err != nil {
		return 0, 0, err
	}

	f, err := openFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	// The file is cut before it is summed: the sum is that of the file as it stays.
	bytes = int64(m.HighWater) * int64(m.PageSize)
	if err := errors.Join(f.Truncate(bytes), f.Sync()); err != nil {
		return 0, 0, err
	}

	h := crc32.New(castagnoli)
	_, err = io.Copy(h, f)
	return bytes, h.Sum32(), err
}

// Install gives a folder the finished catalog in file, which must be on the same file system and is
// gone afterwards. A catalog that is there is replaced: handles of this and other processes see the
// new one from their next call on.
func Install(ctx context.Context, dir, file string, o *Options) error {
	return install(ctx, dir, file, o, fsx.Within(fsx.OS, dir))
}

func install(ctx context.Context, dir, file string, o *Options, fsys fsx.FS) error {
	c, err := newCatalog(dir, o)
	if err != nil {
		return err
	}
	c.fs = fsys

	if err := c.ensureLockFile(); err != nil {
		return err
	}

	// Publish under the lock, which keeps other processes from opening the catalog in between.
	unlock, _, err := c.lock(ctx, filelock.Exclusive)
	if err != nil {
		return err
	}
	defer unlock()

	if _, err := os.Stat(c.db); errors.Is(err, fs.ErrNotExist) {
		return c.publish(file, c.db)
	}
	return c.swap(file)
}
