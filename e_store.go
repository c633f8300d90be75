package tstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/mapped"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/mmapstore"
)

// engineStore is a handle on an open store: the one that was opened, or that of a transaction.
type engineStore struct {
	*core
	// within, unless it is nil, is an error once the transaction that the handle is of has ended.
	within func() error
}

// core is what the handles of an open store share: the one that was opened and
// those of its transactions.
type core struct {
	dir  string
	opts engineOptions
	// level is a real level of durability.
	level storefile.Durability
	// networkFS is what NetworkFS returns.
	networkFS string
	fs        fsx.FS
	cat       *catalog.Catalog
	maps      *mapped.Cache
	// verified are the blocks that Options.Paranoid need not verify again.
	verified verifiedBlocks
	// images are the snapshots that are open.
	images images

	life     lifetime
	poisoned atomic.Pointer[error]
	// folders are the storage folders known to be durable.
	folders sync.Map
}

// makeFolders makes folders that are missing since they were empty, and the store
// was copied by a program that leaves such out. Where that fails, it shows when
// one is needed.
func makeFolders(fsys fsx.FS, dir string) {
	for _, name := range []string{storefile.StorageDir, storefile.TmpDir} {
		if fsys.Mkdir(filepath.Join(dir, name), 0o755) == nil {
			_ = fsys.SyncDir(dir)
		}
	}
}

func (o engineOptions) catalog(level storefile.Durability) *catalog.Options {
	return &catalog.Options{ReadOnly: o.ReadOnly, LockTimeout: o.LockTimeout, NoSync: level == storefile.DurabilityNone}
}

// isBackup reports whether the store is a backup, which nothing changes.
func (s *engineStore) isBackup() bool { return !s.cat.Meta().Backup.ID.IsZero() }

// checkWritable says whether this handle may change anything.
func (s *engineStore) checkWritable() error {
	if err := s.checkOpen(); err != nil {
		return err
	}
	if b := s.cat.Meta().Backup; s.isBackup() {
		return fmt.Errorf("store %q is a backup of %q, which nothing changes: %w: make a store of it with: tstore restore %s --store NEW", s.dir, b.From, mmapstore.ErrReadOnly, s.dir)
	}
	if s.opts.ReadOnly {
		if err := mustBeLocal(s.dir); err != nil && !s.opts.AllowNetworkFS {
			return fmt.Errorf("store %q was opened read-only: %w: %w", s.dir, mmapstore.ErrReadOnly, err)
		}
		return fmt.Errorf("store %q was opened read-only: %w", s.dir, mmapstore.ErrReadOnly)
	}
	if p := s.poisoned.Load(); p != nil {
		return fmt.Errorf("store %q: %w (first failure: %v)", s.dir, catalog.ErrPoisoned, *p)
	}
	return nil
}

// poison ends writing through this handle: err is a failure of a sync, after
// which nobody can say what the disk holds.
func (s *engineStore) poison(err error) error {
	s.poisoned.CompareAndSwap(nil, &err)
	return err
}

// path is the absolute form of a path inside the store.
func (s *engineStore) path(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

// mkdir makes a folder durable: itself and its entry in the parent. A folder
// that is there may have been made by a process that has not synced it yet.
func mkdir(fsys fsx.FS, path string) error {
	if err := fsys.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// makeFolders makes folders of the store durable, once a handle.
func (s *engineStore) makeFolders(dirs ...string) error {
	parents := map[string]bool{}
	for _, dir := range dirs {
		if _, known := s.folders.Load(dir); known {
			continue
		}
		err := s.fs.Mkdir(dir, 0o755)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %q: move it back, or open it where it is now (%w)", catalog.ErrGone, s.dir, err)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		parents[filepath.Dir(dir)] = true
	}

	// Those that are there, too, may have been made by a process that has not synced them yet.
	for parent := range parents {
		if err := s.fs.SyncDir(parent); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		s.folders.Store(dir, true)
	}
	return nil
}

// engineOptions of an open store. The zero value has all defaults.
type engineOptions struct {
	ReadOnly                  bool
	LockTimeout               time.Duration
	AllowDirty                bool
	Durability                storefile.Durability
	OpenMappings, MaxMappings int
	AllowNetworkFS            bool
	Paranoid                  bool
}

// openEngine opens the store in dir.
func openEngine(ctx context.Context, dir string, opts engineOptions) (*engineStore, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	fsys := fsx.Within(fsx.OS, abs)
	mark, err := storefile.ReadMark(fsys, abs)
	if err != nil {
		return nil, err
	}
	level, err := opts.Durability.Level(mark.Durability)
	if err != nil {
		return nil, err
	}
	cat, err := catalog.Open(ctx, abs, opts.catalog(level))
	if err != nil {
		return nil, err
	}
	if cat.StoreID() != mark.ID {
		cat.Close()
		return nil, fmt.Errorf("%w: STORE says store %v, catalog.db belongs to store %v", catalog.ErrCorrupt, mark.ID, cat.StoreID())
	}
	if !cat.Meta().Backup.ID.IsZero() {
		opts.ReadOnly = true
	}
	fsType, reach := networkFS(abs)
	if reach == fsx.Network && !opts.ReadOnly && !opts.AllowNetworkFS {
		cat.Close()
		return nil, mustBeLocal(abs)
	}
	if !opts.ReadOnly {
		makeFolders(fsys, abs)
	}
	return &engineStore{core: &core{dir: abs, opts: opts, level: level, networkFS: fsType, fs: fsys, cat: cat, maps: mapped.New(abs, opts.OpenMappings, opts.MaxMappings)}}, nil
}

// id identifies the store; it never changes.
func (s *engineStore) id() catalog.ID { return s.cat.StoreID() }

// joining is a handle on the store for a transaction. usable is an error once that has ended.
func (s *engineStore) joining(usable func() error) *engineStore {
	return &engineStore{core: s.core, within: usable}
}
