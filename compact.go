package tstore

import "context"

// Compact gives the space of deleted records in the catalog back to the disk, and returns the bytes
// of the catalog before and after. Others wait meanwhile, a few seconds for a million records. Data
// files are not touched: see GC.
func (s *Store) Compact(ctx context.Context) (before, after int64, err error) {
	end, err := s.eng.BeginChange()
	if err != nil {
		return 0, 0, err
	}
	defer end()
	if err := s.eng.Catalog.View(ctx, s.eng.MustBeMine); err != nil {
		return 0, 0, err
	}
	return s.eng.Catalog.Compact(ctx)
}
