package engine

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
)

// RecoverPatch finishes the patch that a dead writer left in a storage. name is a tensor in it, for
// messages; it may be empty.
func (s *Store) RecoverPatch(ctx context.Context, id catalog.ID, name string) error {
	if err := s.CheckWritable(); err != nil {
		return err
	}
	lock, err := s.LockStorage(ctx, id, name)
	if err != nil {
		return err
	}
	defer lock.Unlock()

	// Look again under the lock: another process may have finished the patch meanwhile.
	var st catalog.Storage
	err = s.Catalog.View(ctx, func(c *catalog.Tx) error {
		st, err = c.Storage(id)
		return err
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return nil // it was deleted, and the patch with it
	}
	if err != nil || st.State != catalog.Patching {
		return err
	}

	return s.ApplyPatch(ctx, st)
}

// ApplyPatch writes the committed patch of a storage, makes it durable, and then takes the patch
// out of the catalog. Doing it twice does no harm. If the storage has been deleted since, so has
// the patch, and ApplyPatch does nothing.
func (s *Store) ApplyPatch(ctx context.Context, st catalog.Storage) error {
	err := s.tryPatch(ctx, st)
	if errors.Is(err, catalog.ErrNotFound) || errors.Is(err, ErrMoved) {
		if _, failed := s.StorageNow(ctx, st.ID); errors.Is(failed, catalog.ErrNotFound) {
			return nil
		}
	}
	return err
}

func (s *Store) tryPatch(ctx context.Context, st catalog.Storage) error {
	var p catalog.Patch
	err := s.Catalog.View(ctx, func(c *catalog.Tx) error {
		var err error
		p, err = c.Patch(st.ID)
		return err
	})
	if err != nil {
		return err
	}

	// Check the extent first: a damaged patch must not write beyond the payload.
	runs := p.Runs()
	first, last := runs[0], runs[len(runs)-1]
	if last.End() > st.PayloadBytes {
		return fmt.Errorf("%w: the patch writes bytes %d to %d of storage %v, which has %d", catalog.ErrCorrupt, last.Offset, last.End(), st.ID, st.PayloadBytes)
	}

	// Write the bytes before the commit. A crash in between leaves the patch in the catalog, and
	// applying it again writes the same bytes.
	f, err := s.OpenData(ctx, st, os.O_RDWR)
	if err != nil {
		return err
	}
	if err := s.WriteRuns(f, runs, st.HeaderBytes); err != nil {
		return err
	}

	// The patch goes and the storage becomes clean in one commit.
	err = s.Commit(ctx, func(c *catalog.Tx) error {
		now, err := c.Storage(st.ID)
		if err != nil {
			return err
		}
		now.State, now.Writer, now.Boot = catalog.Clean, "", s.Stamp()
		now.Change(first.Offset, last.End())
		return errors.Join(c.ClearPatch(st.ID), c.PutStorage(now))
	})

	// Nobody knows whether the patch is still there: this handle must not write over it.
	if errors.Is(err, catalog.ErrInDoubt) {
		s.Poison(err)
	}
	return err
}

// ReadRuns fills runs of a storage's payload.
func (s *Store) ReadRuns(ctx context.Context, st catalog.Storage, runs []catalog.Run) error {
	if len(runs) == 0 {
		return nil
	}
	f, err := s.OpenData(ctx, st, os.O_RDONLY)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if _, err := f.ReadAt(r.Bytes, st.HeaderBytes+r.Offset); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// WriteRuns writes runs, the offsets of which begin at base, syncs and closes.
func (s *Store) WriteRuns(f fsx.File, runs []catalog.Run, base int64) error {
	for _, r := range runs {
		if _, err := f.WriteAt(r.Bytes, base+r.Offset); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if err := s.SyncFile(f); err != nil {
		return errors.Join(s.Poison(fmt.Errorf("sync %s: %w", f.Name(), err)), f.Close())
	}
	return f.Close()
}
