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
)

// Options of Init and Open. Nil means all defaults.
type Options struct {
	// ReadOnly refuses every change and never writes to the folder.
	ReadOnly bool
	// LockTimeout bounds each wait for another process or goroutine: for the
	// catalog, for the right to write a tensor, for gc. What waits longer is
	// ErrLockTimeout. Zero means 30 seconds.
	LockTimeout time.Duration
	// AllowDirty opens tensors whose storage an in-place writer left
	// unfinished, or that are ErrUnsynced. Their elements may be half old and
	// half new. Writing in place to them does not take the mark off: Repair does,
	// with AcceptDirty.
	AllowDirty bool
	// Durability is what changes through the handle survive. Init keeps it as
	// that of the store.
	Durability Durability
	// OpenMappings bounds the mapped files kept ready for the next Get, one
	// descriptor each. Files that another process deletes keep their disk
	// space while they are among them. Zero means 1,024, or a quarter of the
	// descriptors that the process may have, if that is less.
	OpenMappings int
	// MaxMappings bounds the files that are mapped at once, in the whole process.
	// Any number of tensors of one file are one mapping. Of files beyond it, those
	// of at most 64 KiB are read into memory when a tensor is opened, and don't
	// follow changes in place; larger ones are mapped nevertheless. Zero means half
	// of what the system allows (on Linux vm.max_map_count). Beyond half of the
	// descriptors that the process may have, files are closed once they are mapped.
	MaxMappings int
	// AllowNetworkFS makes and changes a store on a network file system, which else
	// is ErrNetworkFS. It is for stores that one machine alone uses: the locks and the
	// caches of several don't keep their commits apart, and some are lost.
	AllowNetworkFS bool
	// Paranoid verifies checksums when tensors of sealed storages are opened:
	// all blocks under the part that is opened, each once for a Store. Bytes
	// that are not those that were sealed are ErrChecksum.
	Paranoid bool
}

// Store is an open store. It is safe for concurrent use, and any number of
// processes may have one folder open at once: locks are held only inside
// catalog transactions and by writers of one storage.
type Store struct {
	*core
	// within is the transaction that changes become part of, or nil.
	within *Tx
}

// core is what the handles of an open store share: the one that was opened and
// those of its transactions.
type core struct {
	dir  string
	opts Options
	// level is a real level of durability.
	level Durability
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

// Init makes a new, empty store in dir, creating the folder when it is
// missing. ErrExists when dir holds a store already. A folder that an
// interrupted Init left behind is completed.
func Init(ctx context.Context, dir string, o *Options) (*Store, error) {
	if o != nil && o.ReadOnly {
		return nil, fmt.Errorf("init store %q: %w", dir, ErrReadOnly)
	}
	if o != nil && o.LockTimeout < 0 {
		return nil, fmt.Errorf("init store %q: lock timeout %v: want 0, which is %v, or more", dir, o.LockTimeout, catalog.DefaultLockTimeout)
	}
	if err := initDir(ctx, fsx.OS, dir, o); err != nil {
		return nil, fmt.Errorf("init store %q: %w", dir, err)
	}
	return Open(ctx, dir, o)
}

// Open opens the store in dir. ErrNotStore when there is none, ErrFuture when
// a newer tstore wrote it.
func Open(ctx context.Context, dir string, o *Options) (*Store, error) {
	opts := Options{}
	if o != nil {
		opts = *o
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	fsys := fsx.Within(fsx.OS, abs)
	mark, err := readMark(fsys, abs)
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	level, err := opts.Durability.level(mark.durability)
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	cat, err := catalog.Open(ctx, abs, opts.catalog(level))
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	if cat.StoreID() != mark.id {
		cat.Close()
		return nil, fmt.Errorf("open store %q: %w: STORE says store %v, catalog.db belongs to store %v", dir, ErrCorrupt, mark.id, cat.StoreID())
	}
	if !cat.Meta().Backup.ID.IsZero() {
		opts.ReadOnly = true
	}
	fsType, reach := networkFS(abs)
	if reach == fsx.Network && !opts.ReadOnly && !opts.AllowNetworkFS {
		cat.Close()
		return nil, fmt.Errorf("open store %q: %w", dir, mustBeLocal(abs))
	}
	if !opts.ReadOnly {
		makeFolders(fsys, abs)
	}
	return &Store{core: &core{dir: abs, opts: opts, level: level, networkFS: fsType, fs: fsys, cat: cat, maps: mapped.New(abs, opts.OpenMappings, opts.MaxMappings)}}, nil
}

// makeFolders makes folders that are missing since they were empty, and the store
// was copied by a program that leaves such out. Where that fails, it shows when
// one is needed.
func makeFolders(fsys fsx.FS, dir string) {
	for _, name := range []string{storageDir, tmpDir} {
		if fsys.Mkdir(filepath.Join(dir, name), 0o755) == nil {
			_ = fsys.SyncDir(dir)
		}
	}
}

func (o Options) catalog(level Durability) *catalog.Options {
	return &catalog.Options{ReadOnly: o.ReadOnly, LockTimeout: o.LockTimeout, NoSync: level == DurabilityNone}
}

// Dir is the absolute path of the store's folder.
func (s *Store) Dir() string { return s.dir }

// ID identifies the store; it never changes.
func (s *Store) ID() catalog.ID { return s.cat.StoreID() }

// isBackup reports whether the store is a backup, which nothing changes.
func (s *Store) isBackup() bool { return !s.cat.Meta().Backup.ID.IsZero() }

// checkWritable says whether this handle may change anything.
func (s *Store) checkWritable() error {
	if err := s.checkOpen(); err != nil {
		return err
	}
	if b := s.cat.Meta().Backup; s.isBackup() {
		return fmt.Errorf("store %q is a backup of %q, which nothing changes: %w: make a store of it with: tstore restore %s --store NEW", s.dir, b.From, ErrReadOnly, s.dir)
	}
	if s.opts.ReadOnly {
		if err := mustBeLocal(s.dir); err != nil && !s.opts.AllowNetworkFS {
			return fmt.Errorf("store %q was opened read-only: %w: %w", s.dir, ErrReadOnly, err)
		}
		return fmt.Errorf("store %q was opened read-only: %w", s.dir, ErrReadOnly)
	}
	if p := s.poisoned.Load(); p != nil {
		return fmt.Errorf("store %q: %w (first failure: %v)", s.dir, ErrPoisoned, *p)
	}
	return nil
}

// poison ends writing through this handle: err is a failure of a sync, after
// which nobody can say what the disk holds.
func (s *Store) poison(err error) error {
	s.poisoned.CompareAndSwap(nil, &err)
	return err
}

// path is the absolute form of a path inside the store.
func (s *Store) path(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

// mkdir makes a folder durable: itself and its entry in the parent. A folder
// that is there may have been made by a process that has not synced it yet.
func mkdir(fsys fsx.FS, path string) error {
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
		err := s.fs.Mkdir(dir, 0o755)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %q: move it back, or open it where it is now (%w)", ErrGone, s.dir, err)
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
