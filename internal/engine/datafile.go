package engine

import (
	"context"
	"errors"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
)

// OpenData opens the file of a storage whose lock is held, to change it or to copy it. It returns
// ErrMissing if the file is gone, ErrTruncated if it is shorter than the catalog says, and
// ErrCorrupt if it is the file of something else.
func (s *Store) OpenData(ctx context.Context, st catalog.Storage, flag int) (fsx.File, error) {
	f, err := s.FS.OpenFile(s.DataPath(st), flag, 0)
	if err != nil {
		return nil, s.MovedOrMissing(ctx, st, err)
	}
	if err := storefile.MustBeAsCommitted(f, st); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
