package tstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/tstore/tstore/catalog"
)

// errMoved: by the time a storage was locked or its change was committed, the
// tensor had been deleted or had another one.
var errMoved = fmt.Errorf("%w: it was deleted or replaced: try again", errConflict)

// storageOf is a storage that was there when it was looked up: errMoved if it
// has been deleted since.
func storageOf(c *catalog.Tx, id catalog.ID) (catalog.Storage, error) {
	st, err := c.Storage(id)
	if errors.Is(err, catalog.ErrNotFound) {
		err = errMoved
	}
	return st, err
}

// movedOrMissing tells why the file of a storage can't be opened: errMoved if the
// storage has been deleted since it was looked up.
func (s *engineStore) movedOrMissing(ctx context.Context, st catalog.Storage, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	now, failed := s.storageNow(ctx, st.ID)
	if errors.Is(failed, catalog.ErrNotFound) || failed == nil && now.Gen != st.Gen {
		return errMoved
	}
	return errors.Join(fmt.Errorf("%w: %s", errMissing, s.dataPath(st)), failed)
}

// untilStill runs fn, which finds a tensor and locks its storage, again when the
// tensor has moved meanwhile. mayRepeat says whether fn can be run once more.
func untilStill(fn func() error, mayRepeat func() bool) error {
	for try := 1; ; try++ {
		err := fn()
		if !errors.Is(err, errMoved) || try == attempts || !mayRepeat() {
			return err
		}
	}
}

// attempts is how often something is tried that others came in between.
const attempts = 4

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
