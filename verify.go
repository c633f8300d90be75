package tstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tstore/tstore/internal/blockscan"
)

// VerifyOptions of Verify. Nil means the defaults.
type VerifyOptions struct {
	// Selectors name what to verify: tensors, parts of them, groups, also those of snapshots. None
	// means everything, and the files that only snapshots need.
	Selectors []string
	// Rate bounds the bytes that are read a second. Zero means no bound.
	Rate int64
	// Progress, when set, is called now and then with the bytes read so far and all that are to be.
	// Calls do not overlap.
	Progress func(done, total int64)
}

// VerifyReport is what Verify found.
type VerifyReport struct {
	// Storages and Bytes are what was read.
	Storages int
	Bytes    int64
	// Damage is in the order of files and places. None means that all is well.
	Damage []Damage
	// Unsealed are the storages that have no checksums, and were not read.
	Unsealed []UnsealedStorage
}

// UnsealedStorage is a storage that can't be verified.
type UnsealedStorage struct {
	// Names are tensors in it, the first hundred of them.
	Names []string
	// File is relative to the store, or absolute for adopted files.
	File string
	// Bytes is its payload.
	Bytes int64
}

// Verify reads the elements of sealed storages from the disk, past the page cache, and compares
// them with their checksums. It may run while others use the store. The report lists damage. An
// error means that Verify could not do its work.
func (s *Store) Verify(ctx context.Context, o *VerifyOptions) (*VerifyReport, error) {
	end, err := s.eng.BeginWork()
	if err != nil {
		return nil, err
	}
	defer end()

	v := &verification{store: s}
	if o != nil {
		v.opts = *o
	}
	v.rate = blockscan.NewRate(v.opts.Rate)

	if err := v.run(ctx); err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}

	slices.SortStableFunc(v.report.Damage, func(a, b Damage) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
	})
	return &v.report, nil
}
