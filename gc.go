package tstore

import (
	"context"

	"github.com/tstore/tstore/internal/store"
)

// Compact gives the space of deleted records in the catalog back to the disk, and returns the bytes
// of the catalog before and after. Others wait meanwhile, a few seconds for a million records. Data
// files are not touched: see GC.
func (s *Store) Compact(ctx context.Context) (before, after int64, err error) {
	return s.store.Compact(ctx)
}

// Garbage is a file in the store's folder that nothing names.
type Garbage struct {
	// File is the path relative to the store.
	File string
	// Bytes is the space it takes on disk.
	Bytes int64
}

// GCOptions of GC. Nil means the defaults.
type GCOptions struct {
	// DryRun removes nothing.
	DryRun bool
}

// GC removes the files of storages and of interrupted writers that nothing names, and what dead
// backups have held, and returns them. It leaves files alone whose names are not the store's own.
// It does not disturb writers at work, and makes them wait some milliseconds at most. It reads the
// whole catalog first. With a damaged one it returns ErrCorrupt and removes nothing, since a file
// without a name may only have lost it.
func (s *Store) GC(ctx context.Context, o *GCOptions) ([]Garbage, error) {
	r, err := s.store.GC(ctx, (*store.GCOptions)(o))
	return each(r, func(x store.Garbage) Garbage { return Garbage(x) }), err
}
