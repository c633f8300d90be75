package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/view"
)

// errNotGrowable: by the time the storage was locked, the tensor was no longer the dense whole of
// it.
var errNotGrowable = errors.New("tensor can't grow at the end of its file")

// growth is the right to write behind the committed end of one storage.
type growth struct {
	store *Store
	info  *Info
	file  fsx.File
	lock  interface{ Unlock() error }
	// For a sealed storage: the sums of the blocks that stay, and the collector of the sums of
	// later blocks.
	kept []uint64
	sums *blocksum.Collector
}

// beginGrowth locks the storage and looks again: only under the lock does the committed length stay
// what it is.
func (s *Store) beginGrowth(ctx context.Context, name string, id catalog.ID) (*growth, error) {
	lock, err := s.Engine.LockStorage(ctx, id, name)
	if err != nil {
		return nil, err
	}
	g := &growth{store: s, lock: lock}
	if err := g.open(ctx, name, id); err != nil {
		return nil, errors.Join(err, g.end())
	}
	return g, nil
}

func (g *growth) open(ctx context.Context, name string, id catalog.ID) error {
	var err error
	if g.info, err = g.store.StatSelected(ctx, Selector{Name: name}); err != nil {
		return err
	}

	st := g.info.Storage
	if st.ID != id || !record.CoversWhole(g.info.Record, g.info.Layout, st) {
		return errNotGrowable
	}

	// Complete what a dead writer left before the file grows.
	if err := g.store.Engine.MustBeWritten(st); err != nil {
		return err
	}
	if st.State != catalog.Clean {
		if err := g.store.Engine.CleanLocked(ctx, st); err != nil {
			return err
		}
	}

	if st.Written > st.PayloadBytes {
		// Someone may still read the rows behind the end that were cut off: give the tensor a file
		// of its own.
		if err := g.store.Engine.Unshare(ctx, g.info.Storage); err != nil {
			return err
		}
		return g.open(ctx, name, id)
	}

	if g.file, err = g.store.Engine.OpenData(ctx, st, os.O_RDWR); err != nil {
		return err
	}

	if st.Seal == nil {
		return nil
	}
	return g.openSeal(st)
}

// openSeal begins to extend the checksums of a sealed storage. It verifies a short last block
// before it sums the block again with the added elements: a new sum would hide damage.
func (g *growth) openSeal(st catalog.Storage) error {
	sums, err := g.store.Engine.LoadSums(st)
	if err != nil {
		return err
	}

	full := st.PayloadBytes / blocksum.BlockBytes
	g.kept = sums[:full:full]
	g.sums = blocksum.NewCollector(st.ID, full)

	tail := make([]byte, st.PayloadBytes-full*blocksum.BlockBytes)
	at := st.HeaderBytes + full*blocksum.BlockBytes
	if _, err := g.file.ReadAt(tail, at); err != nil {
		return fmt.Errorf("read the last block of %s: %w", g.file.Name(), err)
	}

	if len(blocksum.Bad(st.ID, sums, full, tail)) > 0 {
		return PublicChecksum(&ChecksumError{Path: g.file.Name(), Offset: at, Bytes: int64(len(tail)), Names: []string{g.info.Record.Name}})
	}

	g.sums.Add(tail, full*blocksum.BlockBytes)
	return nil
}

func (g *growth) end() error {
	var err error
	if g.file != nil {
		err = g.file.Close()
	}
	return errors.Join(err, g.lock.Unlock())
}

// grow writes the rows behind the committed end, makes them durable, and only then commits the new
// length. What a failure leaves behind the end is not part of the tensor; the next append writes
// over it.
func (g *growth) grow(ctx context.Context, rows *newRows) error {
	grown, err := g.write(ctx, rows)
	if err != nil {
		return err
	}

	payload, err := grown.NumBytes()
	if err != nil {
		return err
	}

	// The rows are on the disk, so the catalog may name them.
	header, err := g.commit(ctx, grown.Shape, payload-g.info.Storage.PayloadBytes)
	if err != nil {
		return err
	}

	// The rows are committed, whatever becomes of the header: it is the catalog's spare, and fsck
	// writes it again.
	_, _ = g.file.WriteAt(header, 0)
	return nil
}

// write writes the rows and makes them durable, and describes the tensor that has them.
func (g *growth) write(ctx context.Context, rows *newRows) (Spec, error) {
	end := g.info.Storage.HeaderBytes + g.info.Storage.PayloadBytes
	grown, err := rows.write(ctx, g.file, end, rowsOf(g.info), engine.Tee(g.sums, g.info.Storage.HeaderBytes))
	if err != nil {
		// Nobody maps what lies behind the committed end, and nothing else would give its room
		// back.
		return grown, errors.Join(err, g.file.Truncate(end))
	}
	if err := g.store.Engine.SyncFile(g.file); err != nil {
		return grown, g.store.Engine.Poison(fmt.Errorf("sync: %w", err))
	}
	return grown, nil
}

// commit publishes the new length and the seal that covers it. It returns the header that describes
// both.
func (g *growth) commit(ctx context.Context, shape []int, added int64) ([]byte, error) {
	l, err := view.NewLayout(shape...)
	if err != nil {
		return nil, err
	}

	seal, files, err := g.stageSeal(added)
	if err != nil {
		return nil, err
	}

	// Publish makes the file of the checksums durable before the commit that names it.
	var header []byte
	err = g.store.Engine.Publish(ctx, files, func(c *catalog.Tx) error {
		rec, st, err := g.current(c)
		if err != nil {
			return err
		}

		record.SetLayout(&rec, l)
		rec.Version++
		rec.Modified, rec.Formula = time.Now().UTC(), catalog.Formula{}
		st.PayloadBytes += added
		st.Boot, st.Seal = g.store.Engine.Stamp(), seal

		// The header is written after the commit, so its checksum is committed first.
		h, err := storefile.RecordHeader(rec, st, false)
		if err != nil {
			return err
		}
		if header, err = h.Encode(); err != nil {
			return err
		}
		st.HeaderSum = storefile.HeaderSum(header)
		return errors.Join(c.PutStorage(st), c.Put(rec))
	})
	return header, err
}

// stageSeal makes the seal of a sealed storage that has grown, with the file that goes with it.
func (g *growth) stageSeal(added int64) (*catalog.Seal, []*engine.Staged, error) {
	if g.sums == nil {
		return nil, nil, nil
	}
	st := g.info.Storage
	st.PayloadBytes += added
	more, err := g.sums.Sums(st.PayloadBytes)
	if err != nil {
		return nil, nil, err
	}
	files, err := g.store.Engine.StageSeal(&st, append(g.kept, more...))
	return st.Seal, files, err
}

// current returns the tensor as the catalog has it at the commit. The lock keeps other writers off
// the storage, but not off the name.
func (g *growth) current(c *catalog.Tx) (rec catalog.Record, st catalog.Storage, err error) {
	seen := g.info.Record
	if rec, err = getTensor(c, seen.Name); err != nil {
		return rec, st, err
	}
	if !showsSame(&rec, &seen) {
		return rec, st, fmt.Errorf("%w: it was replaced while the rows were written: append them again", ErrConflict)
	}
	if st, err = c.Storage(rec.Storage); err != nil {
		return rec, st, err
	}
	if !engine.SameFile(st, g.info.Storage) || !engine.SealedAs(st, g.info.Storage) {
		err = fmt.Errorf("%w: its storage was restored while the rows were written: append them again", ErrConflict)
	}
	return rec, st, err
}
