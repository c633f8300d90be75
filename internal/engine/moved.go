package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/tstore/tstore/catalog"
)

// ErrMoved: by the time a storage was locked or its change was committed, the tensor had been
// deleted or had another one.
var ErrMoved = fmt.Errorf("%w: it was deleted or replaced: try again", ErrConflict)

// StorageOf returns a storage that was there before. It returns ErrMoved if the storage has been
// deleted since.
func StorageOf(c *catalog.Tx, id catalog.ID) (catalog.Storage, error) {
	st, err := c.Storage(id)
	if errors.Is(err, catalog.ErrNotFound) {
		err = ErrMoved
	}
	return st, err
}

// MovedOrMissing returns why the file of a storage can't be opened: ErrMoved if the storage has
// been deleted since it was looked up.
func (s *Store) MovedOrMissing(ctx context.Context, st catalog.Storage, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	now, failed := s.StorageNow(ctx, st.ID)
	if errors.Is(failed, catalog.ErrNotFound) || failed == nil && now.Gen != st.Gen {
		return ErrMoved
	}
	return errors.Join(fmt.Errorf("%w: %s", ErrMissing, s.DataPath(st)), failed)
}

// UntilStill runs fn, which finds a tensor and locks its storage, and runs it again if the tensor
// has moved meanwhile. mayRepeat reports whether fn can be run once more.
func UntilStill(fn func() error, mayRepeat func() bool) error {
	for try := 1; ; try++ {
		err := fn()
		if !errors.Is(err, ErrMoved) || try == Attempts || !mayRepeat() {
			return err
		}
	}
}

// Attempts is how often something is tried that others came in between.
const Attempts = 4

// Pause waits for d, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
