package store

import (
	"context"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/storefile"
)

// Summary counts what a store holds.
type Summary struct {
	Format  int
	Created time.Time

	Tensors, Blobs, Lazy int
	Storages             int
	Bytes                int64
	Adopted              int
	AdoptedBytes         int64
	Unclean              int
	Trash                int
	Snapshots            int
}

// Summary counts what the store holds, in one catalog transaction that reads every record: a few
// seconds for a million.
func (s *Store) Summary(ctx context.Context) (Summary, error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return Summary{}, err
	}
	var sum Summary
	err := s.Engine.Catalog.View(ctx, func(c *catalog.Tx) error {
		var err error
		sum, err = SummaryOf(c)
		return err
	})
	return sum, err
}

// SummaryOf counts what a catalog, or a snapshot, holds.
func SummaryOf(c *catalog.Tx) (Summary, error) {
	sum := Summary{Format: storefile.FormatVersion, Created: c.Meta().Created}
	if err := sum.countRecords(c); err != nil {
		return sum, err
	}
	if err := sum.countStorages(c); err != nil {
		return sum, err
	}
	trash, err := c.Trash()
	if err != nil {
		return sum, err
	}
	snapshots, err := c.Snapshots()
	snapshots = slices.DeleteFunc(snapshots, func(snap catalog.Snapshot) bool { return engine.IsHold(snap.Name) })
	sum.Trash, sum.Snapshots = len(trash), len(snapshots)
	return sum, err
}

func (sum *Summary) countRecords(c *catalog.Tx) error {
	for rec, err := range c.Records() {
		if err != nil {
			return err
		}
		switch rec.Kind {
		case catalog.KindBlob:
			sum.Blobs++
		case catalog.KindLazy:
			sum.Lazy++
		default:
			sum.Tensors++
		}
	}
	return nil
}

func (sum *Summary) countStorages(c *catalog.Tx) error {
	for st, err := range c.Storages() {
		if err != nil {
			return err
		}
		if st.Adopted {
			sum.Adopted++
			sum.AdoptedBytes += st.PayloadBytes
		} else {
			sum.Storages++
			sum.Bytes += st.PayloadBytes
		}

		if st.State != catalog.Clean {
			sum.Unclean++
		}
	}
	return nil
}
