package engine

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

// Store is a handle on an open store. It is the one that was opened, or the handle of a
// transaction.
type Store struct {
	*core
	// within, if not nil, returns an error once the transaction of the handle has ended.
	within func() error
}

// core is shared by all handles of an open store: the one that was opened and those of its
// transactions.
type core struct {
	// Dir is the absolute path of the store's folder.
	Dir     string
	Options Options
	// Level is a real level of durability.
	Level storefile.Durability
	// NetworkFS is the type of the file system that the store is on, if that is one of the network.
	NetworkFS string
	// FS does all operations on files but those of the catalog.
	FS      fsx.FS
	Catalog *catalog.Catalog
	maps    *mapped.Cache
	// Verified are the blocks that Options.Paranoid need not verify again.
	Verified Verified
	// Images are the snapshots that are open.
	Images Images

	life     lifetime
	poisoned atomic.Pointer[error]
	// folders are the storage folders known to be durable.
	folders sync.Map
}

// MakeFolders makes missing folders. They can be missing because a program that copied the store
// left out empty folders. A failure shows when a folder is needed.
func MakeFolders(fsys fsx.FS, dir string) {
	for _, name := range []string{storefile.StorageDir, storefile.TmpDir} {
		if fsys.Mkdir(filepath.Join(dir, name), 0o755) == nil {
			_ = fsys.SyncDir(dir)
		}
	}
}

// Catalog returns the options of the store's catalog.
func (o Options) Catalog(level storefile.Durability) *catalog.Options {
	return &catalog.Options{ReadOnly: o.ReadOnly, LockTimeout: o.LockTimeout, NoSync: level == storefile.DurabilityNone}
}

// IsBackup reports whether the store is a backup, which nothing changes.
func (s *Store) IsBackup() bool { return !s.Catalog.Meta().Backup.ID.IsZero() }

// CheckWritable returns an error if this handle may not change the store.
func (s *Store) CheckWritable() error {
	if err := s.CheckOpen(); err != nil {
		return err
	}

	if b := s.Catalog.Meta().Backup; s.IsBackup() {
		return fmt.Errorf("store %q is a backup of %q, which nothing changes: %w: make a store of it with: tstore restore %s --store NEW", s.Dir, b.From, mmapstore.ErrReadOnly, s.Dir)
	}
	if s.Options.ReadOnly {
		if err := MustBeLocal(s.Dir); err != nil && !s.Options.AllowNetworkFS {
			return fmt.Errorf("store %q was opened read-only: %w: %w", s.Dir, mmapstore.ErrReadOnly, err)
		}
		return fmt.Errorf("store %q was opened read-only: %w", s.Dir, mmapstore.ErrReadOnly)
	}

	if p := s.poisoned.Load(); p != nil {
		return fmt.Errorf("store %q: %w (first failure: %v)", s.Dir, catalog.ErrPoisoned, *p)
	}
	return nil
}

// Poison ends writing through this handle: err is a failure of a sync, after which nobody can say
// what the disk holds.
func (s *Store) Poison(err error) error {
	s.poisoned.CompareAndSwap(nil, &err)
	return err
}

// Path returns the absolute form of a path inside the store.
func (s *Store) Path(rel string) string { return filepath.Join(s.Dir, filepath.FromSlash(rel)) }

// Mkdir makes a folder durable: itself and its entry in the parent. A folder that is there may have
// been made by a process that has not synced it yet.
func Mkdir(fsys fsx.FS, path string) error {
	if err := fsys.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return fsys.SyncDir(filepath.Dir(path))
}

// makeFolders makes folders of the store durable, once a handle.
func (s *Store) makeFolders(dirs ...string) error {
	parents := map[string]bool{}
	for _, dir := range dirs {
		if _, known := s.folders.Load(dir); known {
			continue
		}
		err := s.FS.Mkdir(dir, 0o755)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %q: move it back, or open it where it is now (%w)", catalog.ErrGone, s.Dir, err)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		parents[filepath.Dir(dir)] = true
	}

	// Those that are there, too, may have been made by a process that has not synced them yet.
	for parent := range parents {
		if err := s.FS.SyncDir(parent); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		s.folders.Store(dir, true)
	}
	return nil
}

// Options of an open store. The zero value has all defaults.
type Options struct {
	ReadOnly                  bool
	LockTimeout               time.Duration
	AllowDirty                bool
	Durability                storefile.Durability
	OpenMappings, MaxMappings int
	AllowNetworkFS            bool
	Paranoid                  bool
}

// Open opens the store in dir.
func Open(ctx context.Context, dir string, opts Options) (*Store, error) {
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

	cat, err := catalog.Open(ctx, abs, opts.Catalog(level))
	if err != nil {
		return nil, err
	}

	// A catalog of another store would make gc remove all files of this one.
	if cat.StoreID() != mark.ID {
		cat.Close()
		return nil, fmt.Errorf("%w: STORE says store %v, catalog.db belongs to store %v", catalog.ErrCorrupt, mark.ID, cat.StoreID())
	}

	// A backup is never changed: what it holds must stay what its manifest lists.
	if !cat.Meta().Backup.ID.IsZero() {
		opts.ReadOnly = true
	}

	fsType, reach := networkFS(abs)
	if reach == fsx.Network && !opts.ReadOnly && !opts.AllowNetworkFS {
		cat.Close()
		return nil, MustBeLocal(abs)
	}

	if !opts.ReadOnly {
		MakeFolders(fsys, abs)
	}
	return &Store{core: &core{Dir: abs, Options: opts, Level: level, NetworkFS: fsType, FS: fsys, Catalog: cat, maps: mapped.New(abs, opts.OpenMappings, opts.MaxMappings)}}, nil
}

// ID identifies the store; it never changes.
func (s *Store) ID() catalog.ID { return s.Catalog.StoreID() }

// Joining returns a handle on the store for a transaction. usable returns an error once the
// transaction has ended.
func (s *Store) Joining(usable func() error) *Store {
	return &Store{core: s.core, within: usable}
}
