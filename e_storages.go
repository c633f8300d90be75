package tstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
)

// problemNames bounds Problem.Names.
const problemNames = 100

func (s *engineStore) storagePage(ctx context.Context, after catalog.ID) ([]catalog.Storage, error) {
	var page []catalog.Storage
	err := s.cat.View(ctx, func(c *catalog.Tx) error {
		var err error
		page, err = c.StoragesAfter(after, listPage)
		return err
	})
	return page, err
}

func (s *engineStore) storageNow(ctx context.Context, id catalog.ID) (st catalog.Storage, err error) {
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		st, err = c.Storage(id)
		return err
	})
	return st, err
}

func (s *engineStore) sharersOf(ctx context.Context, id catalog.ID) (names []string, err error) {
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		names, err = c.Sharers(id, problemNames)
		return err
	})
	return names, err
}

// listPage is how many items one catalog transaction reads.
const listPage = 1000

// settleLocked brings a storage whose lock is held into a clean state, or says
// why it can't.
func (s *engineStore) settleLocked(ctx context.Context, st catalog.Storage) error {
	switch st.State {
	case catalog.Clean:
		return nil
	case catalog.Patching:
		return s.applyPatch(ctx, st)
	case catalog.Dirty:
		return unfinishedWriting(writers(st))
	default:
		return fmt.Errorf("%w: run tstore fsck for the reason", errQuarantined)
	}
}

// markStorage changes the record of a storage in a transaction of its own.
func (s *engineStore) markStorage(ctx context.Context, id catalog.ID, change func(*catalog.Tx, catalog.Storage) error) error {
	err := s.commit(ctx, func(c *catalog.Tx) error {
		st, err := storageOf(c, id)
		if err != nil {
			return err
		}
		return change(c, st)
	})
	if errors.Is(err, catalog.ErrInDoubt) {
		s.poison(err)
	}
	return err
}
