package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tstore/tstore/internal/blockscan"
)

// VerifyOptions of Verify.
type VerifyOptions struct {
	Selectors []string
	Rate      int64
	Progress  func(done, total int64)
}

// VerifyReport is what Verify found.
type VerifyReport struct {
	Storages int
	Bytes    int64
	Damage   []Damage
	Unsealed []UnsealedStorage
}

// UnsealedStorage is a storage that can't be verified.
type UnsealedStorage struct {
	Names []string
	File  string
	Bytes int64
}

// Verify reads the elements of sealed storages from the disk, past the page cache, and compares
// them with their checksums.
func (s *Store) Verify(ctx context.Context, o *VerifyOptions) (*VerifyReport, error) {
	end, err := s.Engine.BeginWork()
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
