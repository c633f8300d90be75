package tstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
)

// cloneFrom fills the staged file with the committed bytes of a storage.
func (st *staged) cloneFrom(ctx context.Context, old catalog.Storage) error {
	src, err := st.store.openData(ctx, old, os.O_RDONLY)
	if err != nil {
		return err
	}
	size := st.storage.HeaderBytes + st.storage.PayloadBytes
	_, err = fsx.Clone(ctx, st.file, src, size)
	if err := errors.Join(err, src.Close()); err != nil {
		return fmt.Errorf("copy storage %v: %w", st.storage.ID, err)
	}
	if !st.storage.Sparse {
		if err := st.file.Fallocate(0, size); err != nil && !errors.Is(err, fsx.ErrFallocateUnsupported) {
			return fmt.Errorf("reserve %d bytes: %w", size, err)
		}
	}
	// The header that was copied may be of another length.
	st.header, err = st.store.headerFor(ctx, old)
	return err
}

// replaceAll makes room for the elements of a record, which fill the storage in C order, without
// copying any.
func (st *staged) replaceAll(ctx context.Context, rec catalog.Record) error {
	if err := st.reserve(ctx, st.storage.PayloadBytes, st.storage.Sparse); err != nil {
		return fmt.Errorf("reserve %d bytes: %w", storefile.HeaderBytes+st.storage.PayloadBytes, err)
	}
	var err error
	st.header, err = storefile.RecordHeader(rec, st.storage, false)
	return err
}
