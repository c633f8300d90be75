package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
)

// patchLimit is how many bytes Set and Fill change in place, by a patch. Larger changes
// write a new generation of the storage. So do changes of a storage that a snapshot has.
const patchLimit = catalog.MaxPatchBytes

// patch changes a few bytes of a payload in place. It commits the new bytes to the catalog first,
// so that whoever comes next can finish an interrupted patch.
func (s *Store) patch(ctx context.Context, info *Info, small *smallChange, apply pickedChange) error {
	st := info.Storage
	// Compute the new bytes in memory: so far nothing has changed.
	if err := s.Engine.ReadRuns(ctx, st, small.runs); err != nil {
		return err
	}
	if err := small.apply(info.DType, apply); err != nil || len(small.runs) == 0 {
		return err
	}

	first := small.runs[0]
	p := catalog.Patch{Offset: first.Offset, Bytes: first.Bytes, More: small.runs[1:]}

	// From this commit on the change will happen, whoever finishes it.
	err := s.Engine.Commit(ctx, func(c *catalog.Tx) error {
		now, err := engine.StorageOf(c, st.ID)
		if err != nil {
			return err
		}
		if err := engine.MustBeFreeToWrite(c, now, st); err != nil {
			return err
		}
		if err := mustStillName(c, info); err != nil {
			return err
		}
		now.State, now.Writer = catalog.Patching, engine.WriterName()
		return errors.Join(c.PutPatch(st.ID, p), c.PutStorage(now), touch(c, info))
	})
	if err != nil {
		if errors.Is(err, ErrInDoubt) {
			s.Engine.Poison(err)
		}
		return err
	}

	// A cancellation comes too late now.
	if err := s.Engine.ApplyPatch(context.WithoutCancel(ctx), st); err != nil {
		return fmt.Errorf("%w: the change is in the catalog, and whoever opens the tensor next finishes it: %w", ErrInDoubt, err)
	}
	return nil
}
