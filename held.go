package tstore

import (
	"context"

	"github.com/tstore/tstore/catalog"
)

// IsHeld reports whether a snapshot needs the file of a storage, which then stays
// when nothing else uses it.
func (s *Store) IsHeld(ctx context.Context, st catalog.Storage) (held bool, err error) {
	if err := s.eng.CheckOpen(); err != nil {
		return false, err
	}
	err = s.eng.Catalog.View(ctx, func(c *catalog.Tx) error {
		held, err = c.Held(st)
		return err
	})
	return held, err
}
