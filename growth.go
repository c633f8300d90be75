package tstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/view"
)

// errNotGrowable: by the time the storage was locked, the tensor was no longer
// the dense whole of it.
var errNotGrowable = errors.New("tensor can't grow at the end of its file")

// growth is the right to write behind the committed end of one storage.
type growth struct {
	store *Store
	info  *Info
	file  fsx.File
	lock  interface{ Unlock() error }
}

// beginGrowth locks the storage and looks again: only under the lock does the
// committed length stay what it is.
func (s *Store) beginGrowth(ctx context.Context, name string, id catalog.ID) (*growth, error) {
	lock, err := s.lockStorage(ctx, id, name)
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
	if g.info, err = g.store.stat(ctx, Selector{Name: name}); err != nil {
		return err
	}
	st := g.info.Storage
	if st.ID != id || !coversWhole(g.info.Record, g.info.Layout, st) {
		return errNotGrowable
	}
	if err := g.store.mustBeWritten(st); err != nil {
		return err
	}
	if st.State != catalog.Clean {
		if err := g.store.settleLocked(ctx, st); err != nil {
			return err
		}
	}
	g.file, err = g.store.fs.OpenFile(g.store.dataPath(st), os.O_RDWR, 0)
	return err
}

func (g *growth) end() error {
	var err error
	if g.file != nil {
		err = g.file.Close()
	}
	return errors.Join(err, g.lock.Unlock())
}

// grow writes the rows behind the committed end, makes them durable, and only
// then commits the new length. What a failure leaves behind the end is not
// part of the tensor; the next append writes over it.
func (g *growth) grow(ctx context.Context, src Source, rows int) error {
	added, err := src.NumBytes()
	if err != nil {
		return err
	}
	grown := g.info.Layout.Shape()
	grown[0] += rows
	if _, err := (Spec{DType: src.DType, Shape: grown}).NumBytes(); err != nil {
		return err
	}
	if err := g.write(ctx, src, added); err != nil {
		return err
	}
	header, err := g.commit(ctx, grown, added)
	if err != nil {
		return err
	}
	// The rows are committed, whatever becomes of the header: it is the
	// catalog's spare, and fsck writes it again.
	_, _ = g.file.WriteAt(header, 0)
	return nil
}

func (g *growth) write(ctx context.Context, src Source, added int64) error {
	end := g.info.Storage.HeaderBytes + g.info.Storage.PayloadBytes
	if err := fsx.Reserve(g.file, end, added); err != nil {
		err = fmt.Errorf("reserve %d bytes: %w", added, err)
		if errors.Is(err, syscall.ENOSPC) {
			// Nobody maps what lies behind the committed end.
			err = errors.Join(err, g.file.Truncate(end))
		}
		return err
	}
	data := src.Data
	if data == nil {
		data = io.LimitReader(zeros{}, added)
	}
	w := fsx.NewStreamWriter(g.file, end, &fsx.StreamOptions{Progress: src.Progress})
	if err := w.ReadFrom(ctx, data, added); err != nil {
		return err
	}
	if err := g.store.syncFile(g.file); err != nil {
		return g.store.poison(fmt.Errorf("sync: %w", err))
	}
	return nil
}

// commit publishes the new length and returns the header that describes it.
func (g *growth) commit(ctx context.Context, shape []int, added int64) ([]byte, error) {
	l, err := view.NewLayout(shape...)
	if err != nil {
		return nil, err
	}
	var header []byte
	err = g.store.commit(ctx, func(c *catalog.Tx) error {
		rec, st, err := g.current(c)
		if err != nil {
			return err
		}
		setLayout(&rec, l)
		rec.Version++
		rec.Modified, rec.Formula = time.Now().UTC(), catalog.Formula{}
		st.PayloadBytes += added
		st.Boot = g.store.stamp()
		h, err := recordHeader(rec, st, RowMajor)
		if err != nil {
			return err
		}
		if header, err = h.encode(); err != nil {
			return err
		}
		st.HeaderSum = headerSum(header)
		return errors.Join(c.PutStorage(st), c.Put(rec))
	})
	if errors.Is(err, ErrInDoubt) {
		g.store.poison(err)
	}
	return header, err
}

// current is the tensor as the catalog has it at the commit. The lock keeps
// other writers off the storage, but not off the name.
func (g *growth) current(c *catalog.Tx) (rec catalog.Record, st catalog.Storage, err error) {
	seen := g.info.Record
	if rec, err = getTensor(c, seen.Name); err != nil {
		return rec, st, err
	}
	if rec.Storage != seen.Storage || !slices.Equal(rec.Shape, seen.Shape) {
		return rec, st, fmt.Errorf("%w: it was replaced while the rows were written: append them again", ErrConflict)
	}
	st, err = c.Storage(rec.Storage)
	return rec, st, err
}
