package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/bootid"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/mmapstore"
)

// SyncFile makes a file durable, as far as the level asks for it.
func (s *Store) SyncFile(f interface{ Sync() error }) error {
	if s.Level != storefile.DurabilityPower {
		return nil
	}
	return f.Sync()
}

// SyncDir makes the names in a folder durable, as far as the level asks for it.
func (s *Store) SyncDir(dir string) error {
	if s.Level != storefile.DurabilityPower {
		return nil
	}
	return s.FS.SyncDir(dir)
}

// SyncMapped makes what was stored to a mapping durable, as far as the level asks for it. It ends
// with the error of ctx when that ends before all is on the disk.
func (s *Store) SyncMapped(ctx context.Context, m *mmapstore.Storage) error {
	if s.Level != storefile.DurabilityPower {
		return nil
	}
	if err := m.WriteBack(ctx, 0, -1); err != nil {
		return err
	}
	return m.Flush(0, -1)
}

// Stamp returns what Storage.Boot is after a file was written and synced at the level of this
// handle.
func (s *Store) Stamp() string {
	if s.Level == storefile.DurabilityPower {
		return ""
	}
	return bootid.Get()
}

// MustBeWritten returns ErrUnsynced if the storage was left to the system to write before the
// machine was last started.
func (s *Store) MustBeWritten(st catalog.Storage) error {
	if !IsUnwritten(st) || s.Options.AllowDirty {
		return nil
	}
	return fmt.Errorf("%w: look at it with dirty reads allowed, then accept it with: tstore fsck --accept-dirty, or restore it", ErrUnsynced)
}

// IsUnwritten reports whether a storage was left to the system to write before the machine was last
// started.
func IsUnwritten(st catalog.Storage) bool { return st.Boot != "" && st.Boot != bootid.Get() }

// syncCatalog syncs the catalog where commits don't.
func (s *Store) syncCatalog() error {
	if s.Level != storefile.DurabilityNone {
		return nil
	}
	f, err := s.FS.OpenFile(s.Path(storefile.CatalogFile), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncStorage syncs the files of a storage and clears its Boot mark, unless the storage was written
// meanwhile.
func (s *Store) syncStorage(ctx context.Context, st catalog.Storage) error {
	gc, err := s.LockGC(ctx, filelock.Shared)
	if err != nil {
		return err
	}
	defer gc.Unlock()

	for _, file := range st.OwnFiles() {
		err := s.syncPublished(file, st)
		if errors.Is(err, os.ErrNotExist) {
			return nil // replaced or deleted meanwhile
		}
		if err != nil {
			return err
		}
	}

	// The mark goes only after the sync, and only if the record still is the one that was synced.
	return s.Commit(ctx, func(c *catalog.Tx) error {
		now, err := c.Storage(st.ID)
		if errors.Is(err, catalog.ErrNotFound) {
			return nil
		}
		if err != nil || now.Gen != st.Gen || now.Changes != st.Changes || now.SumsFile() != st.SumsFile() || now.PayloadBytes != st.PayloadBytes || now.State != catalog.Clean {
			return err
		}
		now.Boot = ""
		return c.PutStorage(now)
	})
}

// syncPublished makes a file of a storage, and its name in its folder, durable.
func (s *Store) syncPublished(file string, st catalog.Storage) error {
	path := s.Path(file)
	f, err := s.FS.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}

	// A sync of a file that was cut or replaced would vouch for bytes that were never committed.
	if file == st.File() {
		if err := storefile.MustBeAsCommitted(f, st); err != nil {
			return errors.Join(err, f.Close())
		}
	}

	// The name comes after the bytes. After a failed sync the system may have dropped the dirty
	// pages, so the store takes no more changes.
	err = f.Sync()
	if err == nil {
		err = s.FS.SyncDir(filepath.Dir(path))
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return s.Poison(err)
	}
	return nil
}

// SyncAll makes everything durable that was committed at a lower level than power since the machine
// started. It returns the number of files synced.
func (s *Store) SyncAll(ctx context.Context) (int, error) {
	synced := 0
	var after catalog.ID
	for {
		page, err := s.StoragePage(ctx, after)
		if err != nil {
			return synced, err
		}
		// The catalog comes last: it may name only what is durable by then.
		if len(page) == 0 {
			return synced, s.syncCatalog()
		}

		for _, st := range page {
			after = st.ID
			if st.Boot == "" || st.Boot != bootid.Get() {
				continue
			}
			if err := s.syncStorage(ctx, st); err != nil {
				return synced, fmt.Errorf("sync storage %v: %w", st.ID, err)
			}
			synced++
		}
	}
}
