package tstore

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/view"
)

// patchLimit is the widest range of bytes that Set and Fill change in place,
// through the journal. Wider changes, and those of what a snapshot has, write a
// new generation of the storage.
const patchLimit = 1 << 20

// patch changes the bytes from lo to hi of a payload in place. The new bytes
// are committed to the catalog first, so that an interrupted patch is finished
// by whoever comes next.
func (s *Store) patch(ctx context.Context, info *Info, lo, hi int, change func(*view.Tensor) error) error {
	st := info.Storage
	f, err := s.openData(ctx, st, os.O_RDONLY)
	if err != nil {
		return err
	}
	b := make([]byte, hi-lo)
	_, err = f.ReadAt(b, st.HeaderBytes+int64(lo))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	size := info.DType.Size()
	l, err := view.MakeLayout(info.Layout.Shape(), info.Layout.Strides(), info.Layout.Offset()-lo/size)
	if err != nil {
		return err
	}
	if err := withBytes(b, info.DType, l, change); err != nil {
		return err
	}
	p := catalog.Patch{Offset: int64(lo), Bytes: b}
	err = s.commit(ctx, func(c *catalog.Tx) error {
		now, err := storageOf(c, st.ID)
		if err != nil {
			return err
		}
		if err := mustBeFreeToWrite(c, now, st); err != nil {
			return err
		}
		now.State, now.Writer = catalog.Patching, writerName()
		return errors.Join(c.PutPatch(st.ID, p), c.PutStorage(now), touch(c, info))
	})
	if err != nil {
		if errors.Is(err, ErrInDoubt) {
			s.poison(err)
		}
		return err
	}
	if err := s.applyPatch(context.WithoutCancel(ctx), st); err != nil {
		return fmt.Errorf("%w: the change is in the journal, and whoever opens the tensor next finishes it: %w", ErrInDoubt, err)
	}
	return nil
}

// recoverPatch finishes the patch that a dead writer left in a storage. name is a
// tensor that lies there, if one is known.
func (s *Store) recoverPatch(ctx context.Context, id catalog.ID, name string) error {
	if err := s.checkWritable(); err != nil {
		return err
	}
	lock, err := s.lockStorage(ctx, id, name)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	var st catalog.Storage
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		st, err = c.Storage(id)
		return err
	})
	if err != nil || st.State != catalog.Patching {
		return err
	}
	return s.applyPatch(ctx, st)
}

// applyPatch writes the committed patch of a storage, makes it durable and
// takes it off the journal. Doing it twice does no harm. Where the storage has
// been deleted since, so has the patch, and there is nothing to do.
func (s *Store) applyPatch(ctx context.Context, st catalog.Storage) error {
	err := s.tryPatch(ctx, st)
	if errors.Is(err, ErrNotFound) || errors.Is(err, errMoved) {
		if _, failed := s.storageNow(ctx, st.ID); errors.Is(failed, ErrNotFound) {
			return nil
		}
	}
	return err
}

func (s *Store) tryPatch(ctx context.Context, st catalog.Storage) error {
	var p catalog.Patch
	err := s.cat.View(ctx, func(c *catalog.Tx) error {
		var err error
		p, err = c.Patch(st.ID)
		return err
	})
	if err != nil {
		return err
	}
	if p.Offset < 0 || p.Offset > st.PayloadBytes-int64(len(p.Bytes)) {
		return fmt.Errorf("%w: the journal writes bytes %d to %d of storage %v, which has %d", ErrCorrupt, p.Offset, p.Offset+int64(len(p.Bytes)), st.ID, st.PayloadBytes)
	}
	f, err := s.openData(ctx, st, os.O_RDWR)
	if err != nil {
		return err
	}
	if err := s.writeBytes(f, p.Bytes, st.HeaderBytes+p.Offset); err != nil {
		return err
	}
	err = s.commit(ctx, func(c *catalog.Tx) error {
		now, err := c.Storage(st.ID)
		if err != nil {
			return err
		}
		now.State, now.Writer, now.Boot = catalog.Clean, "", s.stamp()
		now.Change(p.Offset, p.Offset+int64(len(p.Bytes)))
		return errors.Join(c.ClearPatch(st.ID), c.PutStorage(now))
	})
	if errors.Is(err, ErrInDoubt) {
		s.poison(err)
	}
	return err
}

// writeBytes writes, syncs and closes.
func (s *Store) writeBytes(f fsx.File, b []byte, off int64) error {
	if _, err := f.WriteAt(b, off); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := s.syncFile(f); err != nil {
		return errors.Join(s.poison(fmt.Errorf("sync %s: %w", f.Name(), err)), f.Close())
	}
	return f.Close()
}
