package store

import "context"

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
