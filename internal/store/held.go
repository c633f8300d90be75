package store

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
)

// mustBeSealedAs returns ErrConflict if the storage of a tensor was sealed or unsealed since the
// tensor was seen: a copy that takes its place is sealed as it was then.
func mustBeSealedAs(c *catalog.Tx, seen *Info) error {
	now, err := engine.StorageOf(c, seen.Storage.ID)
	if err == nil && !engine.SealedAs(now, seen.Storage) {
		err = fmt.Errorf("%w: it was sealed or unsealed while it was copied: try again", ErrConflict)
	}
	return err
}

// IsHeld reports whether a snapshot needs the file of a storage, which then stays when nothing else
// uses it.
func (s *Store) IsHeld(ctx context.Context, st catalog.Storage) (held bool, err error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return false, err
	}
	err = s.Engine.Catalog.View(ctx, func(c *catalog.Tx) error {
		held, err = c.Held(st)
		return err
	})
	return held, err
}
