package store

import "context"

// Garbage is a file in the store's folder that nothing names.
type Garbage struct {
	File  string
	Bytes int64
}

// GCOptions of GC.
type GCOptions struct {
	DryRun bool
}

// GC removes the files of storages and of interrupted writers that nothing names, and what dead
// backups have held, and returns them.
func (s *Store) GC(ctx context.Context, o *GCOptions) ([]Garbage, error) {
	dry := o != nil && o.DryRun
	// A dry run works on a read-only handle, too.
	begin := s.Engine.BeginChange
	if dry {
		begin = s.Engine.BeginWork
	}
	end, err := begin()
	if err != nil {
		return nil, err
	}
	defer end()

	collect := s.Engine.Collect
	if dry {
		collect = s.Engine.Collectable
	}

	found, err := collect(ctx)
	var all []Garbage
	for _, g := range found {
		all = append(all, Garbage(g))
	}
	return all, err
}

// Compact gives the space of deleted records in the catalog back to the disk, and returns the bytes
// of the catalog before and after.
func (s *Store) Compact(ctx context.Context) (before, after int64, err error) {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return 0, 0, err
	}
	defer end()
	if err := s.Engine.Catalog.View(ctx, s.Engine.MustBeMine); err != nil {
		return 0, 0, err
	}
	return s.Engine.Catalog.Compact(ctx)
}
