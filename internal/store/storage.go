package store

import (
	"context"
	"errors"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
)

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

// UnderLock waits for the write lock of a storage and runs fix on the storage as it then is. name
// is for errors. It returns engine.ErrMoved if the storage is gone.
func (s *Store) UnderLock(ctx context.Context, st catalog.Storage, name string, fix func(context.Context, catalog.Storage) error) error {
	lock, err := s.Engine.LockStorage(ctx, st.ID, name)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	now, err := s.Engine.StorageNow(ctx, st.ID)
	if errors.Is(err, ErrNotFound) {
		return engine.ErrMoved
	}
	if err != nil {
		return err
	}
	return fix(ctx, now)
}
