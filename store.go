package tstore

import (
	"context"
	"fmt"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
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

// Store is an open store. It is safe for concurrent use, and any number of processes may have one
// folder open at once: locks are held only inside catalog transactions and by writers of one
// storage.
type Store struct {
	eng *engine.Store
	// within is the transaction that changes become part of, or nil.
	within      *Tx
	expressions expressions
}

// Init makes a new, empty store in dir, creating the folder if it is missing. It returns ErrExists
// if dir holds a store already. It completes a folder that an interrupted Init left behind.
func Init(ctx context.Context, dir string, o *Options) (*Store, error) {
	if o != nil && o.ReadOnly {
		return nil, fmt.Errorf("init store %q: %w", dir, ErrReadOnly)
	}
	if o != nil && o.LockTimeout < 0 {
		return nil, fmt.Errorf("init store %q: lock timeout %v: want 0, which is %v, or more", dir, o.LockTimeout, catalog.DefaultLockTimeout)
	}
	if err := engine.Init(ctx, fsx.OS, dir, o.engine()); err != nil {
		return nil, fmt.Errorf("init store %q: %w", dir, err)
	}
	return Open(ctx, dir, o)
}

// Open opens the store in dir. It returns ErrNotStore if there is none, and ErrFuture if a newer
// tstore wrote it.
func Open(ctx context.Context, dir string, o *Options) (*Store, error) {
	eng, err := engine.Open(ctx, dir, o.engine())
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	return &Store{eng: eng, expressions: evaluator{}}, nil
}

// engine returns the options of what is below the API.
func (o *Options) engine() engine.Options {
	if o == nil {
		return engine.Options{}
	}
	return engine.Options{
		ReadOnly: o.ReadOnly, LockTimeout: o.LockTimeout, AllowDirty: o.AllowDirty, Durability: storefile.Durability(o.Durability),
		OpenMappings: o.OpenMappings, MaxMappings: o.MaxMappings, AllowNetworkFS: o.AllowNetworkFS, Paranoid: o.Paranoid,
	}
}

// Dir returns the absolute path of the store's folder.
func (s *Store) Dir() string { return s.eng.Dir }

// ID identifies the store; it never changes.
func (s *Store) ID() catalog.ID { return s.eng.ID() }
