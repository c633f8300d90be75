package tstore

import (
	"context"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/work"
)

// Options of Init and Open. Nil means all defaults.
type Options struct {
	// ReadOnly refuses every change and never writes to the folder.
	ReadOnly bool
	// LockTimeout bounds each wait for another process or goroutine: for the catalog, for the right
	// to write a tensor, for gc. A longer wait ends with ErrLockTimeout. Zero means 30 seconds.
	LockTimeout time.Duration
	// AllowDirty opens tensors whose storage an in-place writer left unfinished, or that are
	// ErrUnsynced. Their elements may be half old and half new. Writing to them in place does not
	// clear the mark: Repair does, with AcceptDirty.
	AllowDirty bool
	// Durability is what changes through the handle survive. Init keeps it as the store's default.
	Durability Durability
	// OpenMappings bounds the mapped files kept ready for the next Get, one descriptor each. Files
	// that another process deletes keep their disk space while they are among them. Zero means
	// 1,024, or a quarter of the descriptors that the process may have, if that is less.
	OpenMappings int
	// MaxMappings bounds the files that are mapped at once, in the whole process. Any number of
	// tensors of one file are one mapping. Of files beyond it, those of at most 64 KiB are read
	// into memory when a tensor is opened, and don't follow changes in place; larger ones are
	// mapped nevertheless. Zero means half of what the system allows (on Linux vm.max_map_count).
	// Beyond half of the descriptors that the process may have, files are closed once they are
	// mapped.
	MaxMappings int
	// AllowNetworkFS makes and changes a store on a network file system, which otherwise returns
	// ErrNetworkFS. It is for stores that one machine alone uses: the locks and caches of several
	// machines don't keep their commits apart, and some are lost.
	AllowNetworkFS bool
	// Paranoid verifies checksums when tensors of sealed storages are opened: all blocks under the
	// part that is opened, each once for a Store. Opening returns ErrChecksum if the bytes are not
	// those that were sealed.
	Paranoid bool
}

func (o *Options) inner() *store.Options {
	if o == nil {
		return nil
	}
	return &store.Options{
		ReadOnly: o.ReadOnly, LockTimeout: o.LockTimeout, AllowDirty: o.AllowDirty, Durability: store.Durability(o.Durability),
		OpenMappings: o.OpenMappings, MaxMappings: o.MaxMappings, AllowNetworkFS: o.AllowNetworkFS, Paranoid: o.Paranoid,
	}
}

// Store is an open store. It is safe for concurrent use, and any number of processes may have one
// folder open at once: locks are held only inside catalog transactions and by writers of one
// storage.
type Store struct {
	store *store.Store
}

// Init makes a new, empty store in dir, creating the folder if it is missing. It returns ErrExists
// if dir holds a store already. It completes a folder that an interrupted Init left behind.
func Init(ctx context.Context, dir string, o *Options) (*Store, error) {
	s, err := store.Init(ctx, dir, o.inner())
	if err != nil {
		return nil, err
	}
	s.Expressions = work.Evaluator{}
	return &Store{s}, nil
}

// Open opens the store in dir. It returns ErrNotStore if there is none, and ErrFuture if a newer
// tstore wrote it.
func Open(ctx context.Context, dir string, o *Options) (*Store, error) {
	s, err := store.Open(ctx, dir, o.inner())
	if err != nil {
		return nil, err
	}
	s.Expressions = work.Evaluator{}
	return &Store{s}, nil
}

// Dir returns the absolute path of the store's folder.
func (s *Store) Dir() string { return s.store.Dir() }

// ID identifies the store; it never changes.
func (s *Store) ID() catalog.ID { return s.store.ID() }

// Holds reports whether a path, or what it links to, is the store's folder or lies in it. What lies
// there is to be changed through the store alone.
func (s *Store) Holds(path string) bool { return s.store.Holds(path) }

// Close waits for the changes and evaluations that other goroutines have begun, refuses new ones
// with ErrClosed meanwhile and everything afterwards, waits until the space of large temporary
// files is free, and lets go of the store's mappings. To have it wait for less, cancel the context
// of what runs: an evaluation in place then returns an error that names the tensor it left dirty.
//
// Tensors that are still open keep their mappings until they are closed, and so does a Writable,
// whose own Close makes its writes durable as ever. Close is idempotent. What runs as part of a
// change, such as the function given to Update or one that is told of progress, must not call it:
// it would wait for itself.
func (s *Store) Close() error { return s.store.Close() }

// NetworkFS returns the type of the store's file system, such as "nfs4", if it is a network file
// system, or a FUSE program that may keep its files elsewhere. Otherwise it returns "". On a
// network file system other machines may change the store, and this one does not see their commits
// in time: then both lose what was committed. Reading may show an old state.
func (s *Store) NetworkFS() string { return s.store.NetworkFS() }

// Summary counts what a store holds.
type Summary struct {
	// Format is the version of the folder's layout.
	Format  int
	Created time.Time

	Tensors, Blobs, Lazy int
	// Storages are the store's own files, Bytes the bytes of their elements.
	Storages int
	Bytes    int64
	// Adopted are the storages in files of others.
	Adopted      int
	AdoptedBytes int64
	// Unclean are the storages that are dirty, being patched or quarantined.
	Unclean int
	// Trash are the files that are to be removed.
	Trash int
	// Snapshots are the states that are kept.
	Snapshots int
}

// Summary counts what the store holds, in one catalog transaction that reads every record: a few
// seconds for a million.
func (s *Store) Summary(ctx context.Context) (Summary, error) {
	r, err := s.store.Summary(ctx)
	return Summary(r), err
}
