package storetest

import (
	"context"
	"errors"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/backup"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/mapped"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/work"
)

// MapsFiles reports whether storages are mapped files, and not copies of them.
const MapsFiles = mapped.Keeps

// OpenOn opens a store whose file operations, other than the catalog's, go through fsys.
func OpenOn(ctx context.Context, dir string, fsys fsx.FS, o *tstore.Options) (*tstore.Store, error) {
	s, err := tstore.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	store.Of(s).Engine.FS = fsys
	return s, nil
}

// AllSnapshots are those of a store, with what backups hold.
func AllSnapshots(ctx context.Context, s *tstore.Store) ([]catalog.Snapshot, error) {
	return store.Of(s).Engine.AllSnapshots(ctx)
}

// OwnFiles is how many small tensors get files of their own in a transaction.
var OwnFiles = store.OwnFiles

// StorageKey is the byte of the lock file for a storage, or for what a backup holds.
var StorageKey = engine.StorageKey

// InitOn makes a store by file operations, other than the catalog's, that go through fsys.
func InitOn(ctx context.Context, dir string, fsys fsx.FS) error {
	return engine.Init(ctx, fsys, dir, engine.Options{})
}

// EditRecord changes a record behind the store's back.
func EditRecord(ctx context.Context, s *tstore.Store, name string, edit func(*catalog.Record)) error {
	return store.Of(s).Engine.Catalog.Update(ctx, func(c *catalog.Tx) error {
		rec, err := c.Get(name)
		if err != nil {
			return err
		}
		edit(&rec)
		return c.Put(rec)
	})
}

// EditStorage changes a tensor's storage record behind the store's back.
func EditStorage(ctx context.Context, s *tstore.Store, name string, edit func(*catalog.Storage)) error {
	return store.Of(s).Engine.Catalog.Update(ctx, func(c *catalog.Tx) error {
		rec, err := c.Get(name)
		if err != nil {
			return err
		}
		st, err := c.Storage(rec.Storage)
		if err != nil {
			return err
		}
		edit(&st)
		return c.PutStorage(st)
	})
}

// PutPatch puts a redo entry for a tensor's storage into the catalog.
func PutPatch(ctx context.Context, s *tstore.Store, name string, p catalog.Patch) error {
	return store.Of(s).Engine.Catalog.Update(ctx, func(c *catalog.Tx) error {
		rec, err := c.Get(name)
		if err != nil {
			return err
		}
		return c.PutPatch(rec.Storage, p)
	})
}

// Queue puts files on the list of those to be removed.
func Queue(ctx context.Context, s *tstore.Store, files ...string) error {
	return store.Of(s).Engine.Catalog.Update(ctx, func(c *catalog.Tx) error {
		for _, file := range files {
			if err := c.Queue(file); err != nil {
				return err
			}
		}
		return nil
	})
}

// Jobs note how far they are often.
func init() { work.JobSpan, work.MaxJobSpan = 256<<10, 256<<10 }

// UnsyncedCatalog leaves out the syncs of the catalog from now on.
func UnsyncedCatalog(ctx context.Context, s *tstore.Store) error {
	cat, err := catalog.Open(ctx, s.Dir(), &catalog.Options{NoSync: true})
	if err != nil {
		return err
	}
	err = store.Of(s).Engine.Catalog.Close()
	store.Of(s).Engine.Catalog = cat
	return err
}

// TxID is the number of the catalog's last commit.
func TxID(s *tstore.Store) (uint64, error) { return store.Of(s).Engine.Catalog.TxID() }

// RestoreOn is Restore on a file system.
func RestoreOn(ctx context.Context, sources []string, dir string, fsys fsx.FS) error {
	_, err := backup.RestoreOn(ctx, fsys, sources, dir, nil)
	return err
}

// OpenSnapshots is how many snapshots a store keeps open.
func OpenSnapshots(s *tstore.Store) int {
	return store.Of(s).Engine.Images.Len()
}

// EditRecordName gives a tensor a name as only older programs do.
func EditRecordName(ctx context.Context, s *tstore.Store, from, to string) error {
	return store.Of(s).Engine.Catalog.Update(ctx, func(c *catalog.Tx) error {
		rec, err := c.Get(from)
		if err != nil {
			return err
		}
		rec.Name = to
		return errors.Join(c.PutBack(rec), c.Delete(from))
	})
}
