package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
)

// ProblemNames bounds Problem.Names.
const ProblemNames = 100

// StoragePage returns the next storages of the catalog behind one, in the order of their ids.
func (s *Store) StoragePage(ctx context.Context, after catalog.ID) ([]catalog.Storage, error) {
	var page []catalog.Storage
	err := s.Catalog.View(ctx, func(c *catalog.Tx) error {
		var err error
		page, err = c.StoragesAfter(after, ListPage)
		return err
	})
	return page, err
}

// StorageNow returns a storage as the catalog has it now.
func (s *Store) StorageNow(ctx context.Context, id catalog.ID) (st catalog.Storage, err error) {
	err = s.Catalog.View(ctx, func(c *catalog.Tx) error {
		st, err = c.Storage(id)
		return err
	})
	return st, err
}

// SharersOf returns the first of the tensors that share a storage.
func (s *Store) SharersOf(ctx context.Context, id catalog.ID) (names []string, err error) {
	err = s.Catalog.View(ctx, func(c *catalog.Tx) error {
		names, err = c.Sharers(id, ProblemNames)
		return err
	})
	return names, err
}

// ListPage is how many items one catalog transaction reads.
const ListPage = 1000

// CleanLocked applies the patch of a storage whose lock the caller holds. It returns ErrDirty if
// someone has not finished writing the storage in place, and ErrQuarantined if it is out of use.
func (s *Store) CleanLocked(ctx context.Context, st catalog.Storage) error {
	switch st.State {
	case catalog.Clean:
		return nil
	case catalog.Patching:
		return s.ApplyPatch(ctx, st)
	case catalog.Dirty:
		return UnfinishedWriting(Writers(st))
	default:
		return fmt.Errorf("%w: run tstore fsck for the reason", ErrQuarantined)
	}
}

// MarkStorage changes the record of a storage in a transaction of its own.
func (s *Store) MarkStorage(ctx context.Context, id catalog.ID, change func(*catalog.Tx, catalog.Storage) error) error {
	err := s.Commit(ctx, func(c *catalog.Tx) error {
		st, err := StorageOf(c, id)
		if err != nil {
			return err
		}
		return change(c, st)
	})
	if errors.Is(err, catalog.ErrInDoubt) {
		s.Poison(err)
	}
	return err
}
