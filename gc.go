package tstore

import (
	"context"
)

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

// GC removes the files of storages and of interrupted writers that nothing names, and what backups
// that died have held, and returns them. Files whose names are not the store's own are left alone.
// Writers that are at work are not disturbed, and wait some milliseconds at most. It reads the
// whole catalog first: with a damaged one it is ErrCorrupt and removes nothing, since a file that
// seems to have no name may only have lost it.
func (s *Store) GC(ctx context.Context, o *GCOptions) ([]Garbage, error) {
	dry := o != nil && o.DryRun
	begin := s.eng.BeginChange
	if dry {
		begin = s.eng.BeginWork
	}
	end, err := begin()
	if err != nil {
		return nil, err
	}
	defer end()
	collect := s.eng.Collect
	if dry {
		collect = s.eng.Collectable
	}
	found, err := collect(ctx)
	var all []Garbage
	for _, g := range found {
		all = append(all, Garbage(g))
	}
	return all, err
}
