package engine

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
)

// CloneFrom fills the staged file with the committed bytes of a storage.
func (st *Staged) CloneFrom(ctx context.Context, old catalog.Storage) error {
	if err := st.CloneOther(ctx, st.store, old); err != nil {
		return err
	}

	// The header that was copied may be of another length.
	var err error
	st.Header, err = st.store.HeaderFor(ctx, old)
	return err
}

// CloneOther fills the staged file with the committed bytes of a storage of another store. They
// share blocks where both are on one file system that can. The header that is copied is that of the
// other.
func (st *Staged) CloneOther(ctx context.Context, from *Store, old catalog.Storage) error {
	src, err := from.OpenData(ctx, old, os.O_RDONLY)
	if err != nil {
		return err
	}

	size := st.Storage.HeaderBytes + st.Storage.PayloadBytes
	_, err = fsx.Clone(ctx, st.File, src, size)
	if err := errors.Join(err, src.Close()); err != nil {
		return fmt.Errorf("copy storage %v: %w", st.Storage.ID, err)
	}

	// Cloned blocks are shared until they are written: the disk must have room for that moment now.
	if !st.Storage.Sparse {
		if err := st.File.Fallocate(0, size); err != nil && !errors.Is(err, fsx.ErrFallocateUnsupported) {
			return fmt.Errorf("reserve %d bytes: %w", size, err)
		}
	}
	return nil
}

// ReplaceAll makes room for the elements of a record, which fill the storage in C order, without
// copying any.
func (st *Staged) ReplaceAll(ctx context.Context, rec catalog.Record) error {
	if err := st.Reserve(ctx, st.Storage.PayloadBytes, st.Storage.Sparse); err != nil {
		return fmt.Errorf("reserve %d bytes: %w", storefile.HeaderBytes+st.Storage.PayloadBytes, err)
	}
	var err error
	st.Header, err = storefile.RecordHeader(rec, st.Storage, false)
	return err
}
