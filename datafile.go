package tstore

import (
	"context"
	"errors"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
)

// openData opens the file of a storage whose lock is held, to change it or to copy
// it. Before anything is written or extended, the file must be what the catalog says:
// ErrMissing when it is gone, ErrTruncated when it is shorter, ErrCorrupt when it is
// the file of something else.
func (s *engineStore) openData(ctx context.Context, st catalog.Storage, flag int) (fsx.File, error) {
	f, err := s.fs.OpenFile(s.dataPath(st), flag, 0)
	if err != nil {
		return nil, s.movedOrMissing(ctx, st, err)
	}
	if err := storefile.MustBeAsCommitted(f, st); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
