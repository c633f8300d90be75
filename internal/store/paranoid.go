package store

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/mapped"
	"github.com/tstore/tstore/mmapstore"
)

// ChecksumError says that bytes of a sealed storage are not those that were sealed.
type ChecksumError struct {
	Path          string
	Offset, Bytes int64
	Names         []string
}

// Error describes where the bytes lie.
func (e *ChecksumError) Error() string {
	return fmt.Sprintf("%v: bytes %d to %d of %s, in %q, are not those that were sealed: restore the file from a copy", ErrChecksum, e.Offset, e.Offset+e.Bytes, e.Path, e.Names)
}

// Unwrap returns ErrChecksum.
func (e *ChecksumError) Unwrap() error { return ErrChecksum }

// verifyOpened verifies the mapped blocks under a tensor of a sealed storage, unless this handle
// has done so before.
func (s *Store) verifyOpened(ctx context.Context, t *Tensor) error {
	st := t.Info.Storage
	lo, hi := t.Info.Bytes()
	if st.Seal == nil || lo == hi {
		return nil
	}

	key := engine.SealKey{Key: mapped.Key{ID: st.ID, Gen: st.Gen, Payload: st.PayloadBytes}, Root: st.Seal.Root}
	left := s.Engine.Verified.Unverified(key, lo/blocksum.BlockBytes, int64(blocksum.Count(hi)))
	if len(left) == 0 {
		return nil
	}

	sums, err := s.Engine.LoadSums(st)
	if err != nil {
		return err
	}

	for len(left) > 0 {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		run := left[:runLength(left)]

		left = left[len(run):]
		if err := s.verifyMapped(t, sums, run); err != nil {
			return err
		}
		s.Engine.Verified.Add(key, run)
	}
	return nil
}

// populateBytes is mapped at once before it is verified.
const populateBytes = 8 << 20

// runLength returns how many of the numbers follow one another, as far as they are verified at
// once.
func runLength(blocks []int64) int {
	n := 1
	for n < len(blocks) && n < populateBytes/blocksum.BlockBytes && blocks[n] == blocks[0]+int64(n) {
		n++
	}
	return n
}

// verifyMapped verifies blocks that follow one another.
func (s *Store) verifyMapped(t *Tensor, sums []uint64, blocks []int64) error {
	st := t.Info.Storage
	first, end := blocks[0], blocks[len(blocks)-1]+1
	lo, hi := first*blocksum.BlockBytes, min(end*blocksum.BlockBytes, st.PayloadBytes)

	// Page faults one by one would take much longer than reading all pages at once.
	m := t.Storage()
	if err := m.Advise(lo, hi-lo, mmapstore.PopulateRead); err != nil {
		return err
	}

	var bad []int64
	err := m.With(func(b []byte) error {
		bad = blocksum.Bad(st.ID, sums, first, b[lo:hi])
		return nil
	})
	if err != nil || len(bad) == 0 {
		return err
	}

	return PublicChecksum(&ChecksumError{
		Path: s.Engine.DataPath(st), Offset: st.HeaderBytes + bad[0]*blocksum.BlockBytes,
		Bytes: blocksum.Bytes(bad[0], st.PayloadBytes), Names: []string{t.Info.Record.Name},
	})
}
