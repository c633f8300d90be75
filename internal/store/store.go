package store

import (
	"context"
	"fmt"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
)

// Options of Init and Open.
type Options struct {
	ReadOnly       bool
	LockTimeout    time.Duration
	AllowDirty     bool
	Durability     Durability
	OpenMappings   int
	MaxMappings    int
	AllowNetworkFS bool
	Paranoid       bool
}

// Store is an open store, or the store within a transaction. Its methods may be called by several
// goroutines at once, those of a store within a transaction by one.
type Store struct {
	Engine *engine.Store
	// Within is the transaction that changes become part of, or nil.
	Within      *Tx
	Expressions Expressions
}

// Of returns the handle behind one of package tstore, which sets it, for tests that look behind the
// API.
var Of func(api any) *Store

// Init makes a new, empty store in dir, creating the folder if it is missing.
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

// Open opens the store in dir.
func Open(ctx context.Context, dir string, o *Options) (*Store, error) {
	eng, err := engine.Open(ctx, dir, o.engine())
	if err != nil {
		return nil, fmt.Errorf("open store %q: %w", dir, err)
	}
	return &Store{Engine: eng}, nil
}

// engine returns the options of the engine.
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
func (s *Store) Dir() string { return s.Engine.Dir }

// ID identifies the store; it never changes.
func (s *Store) ID() catalog.ID { return s.Engine.ID() }

// Close waits for the changes and evaluations that other goroutines have begun, refuses new ones
// with ErrClosed meanwhile and everything afterwards, waits until the space of large temporary
// files is free, and lets go of the store's mappings.
func (s *Store) Close() error { return s.Engine.Close() }

// NetworkFS returns the type of the store's file system, such as "nfs4", if it is a network file
// system, or a FUSE program that may keep its files elsewhere.
func (s *Store) NetworkFS() string { return s.Engine.NetworkFS }
