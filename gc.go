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

// GC removes the files of storages and of interrupted writers that nothing names, and what dead
// backups have held, and returns them. It leaves files alone whose names are not the store's own.
// It does not disturb writers at work, and makes them wait some milliseconds at most. It reads the
// whole catalog first. With a damaged one it returns ErrCorrupt and removes nothing, since a file
// without a name may only have lost it.
func (s *Store) GC(ctx context.Context, o *GCOptions) ([]Garbage, error) {
	dry := o != nil && o.DryRun
	// A dry run works on a read-only handle, too.
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
