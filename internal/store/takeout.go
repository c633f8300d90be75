package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/storefile"
)

// takeOut moves a tensor out of a shared file into a storage of its own, with all names whose
// elements lie there. They go on sharing their elements, which don't change. So a tensor behaves
// the same whether or not it was made in a shared file. moved is false for a tensor that is in no
// shared file, and for one without elements.
func (s *Store) takeOut(ctx context.Context, name string) (moved bool, err error) {
	err = engine.UntilStill(func() error {
		moved, err = s.tryTakeOut(ctx, Selector{Name: name})
		return err
	}, func() bool { return true })
	return moved, err
}

func (s *Store) tryTakeOut(ctx context.Context, sel Selector) (moved bool, err error) {
	info, err := s.StatSelected(ctx, sel)
	if err != nil || info.Storage.Adopted || info.Layout.NumElems() == 0 {
		return false, err
	}
	slot, packed, err := s.slotOf(ctx, info)
	if err != nil || !packed {
		return false, err
	}
	lock, err := s.Engine.LockStorage(ctx, info.Storage.ID, sel.Name)
	if err != nil {
		return false, err
	}
	defer lock.Unlock()

	// Only under the lock do the elements stay what they are, and only those in the slot have to be
	// whole.
	whole, err := s.slotNow(ctx, info, slot)
	if err != nil {
		return false, err
	}
	t, err := s.open(ctx, whole)
	if err != nil {
		return false, err
	}
	defer t.Close()
	if err := s.verifyOpened(ctx, t); err != nil {
		return false, err
	}
	return true, s.Join(ctx, func(tx *Tx) error { return tx.moveOut(t) })
}

// slotOf returns the record of the tensor that was written where info's elements lie. packed is
// false if the file was not written for several tensors.
func (s *Store) slotOf(ctx context.Context, info *Info) (slot catalog.Record, packed bool, err error) {
	st := info.Storage
	f, err := s.Engine.FS.OpenFile(s.Engine.DataPath(st), os.O_RDONLY, 0)
	if err != nil {
		return slot, false, s.Engine.MovedOrMissing(ctx, st, err)
	}
	defer f.Close()

	_, sp, err := storefile.ParseHeader(io.NewSectionReader(f, 0, storefile.HeaderBytes))
	if err != nil {
		return slot, false, fmt.Errorf("%w: header of %s: %v: mend it with: tstore fsck --repair", ErrCorrupt, f.Name(), err)
	}
	if sp.Pack == nil {
		return slot, false, nil
	}

	all, err := ReadPack(f, st, *sp.Pack)
	if err != nil {
		return slot, false, err
	}

	first, end := info.Bytes()
	for _, slot := range all {
		lo, hi, err := record.Bytes(slot)
		if err != nil {
			return slot, false, err
		}
		if lo <= first && end <= hi && first < hi {
			return slot, true, nil
		}
	}
	return slot, false, nil
}

// slotNow describes the whole slot of info's elements as it is under the storage's lock. It returns
// an error if someone has not finished writing in the slot.
func (s *Store) slotNow(ctx context.Context, info *Info, slot catalog.Record) (*Info, error) {
	st, err := s.Engine.StorageNow(ctx, info.Storage.ID)
	if errors.Is(err, ErrNotFound) {
		err = engine.ErrMoved
	}
	if err != nil {
		return nil, err
	}

	if st.State == catalog.Patching {
		if err := s.Engine.CleanLocked(ctx, st); err != nil {
			return nil, err
		}
		return nil, engine.ErrMoved // look again
	}

	l, err := record.Layout(slot)
	if err != nil {
		return nil, err
	}
	slot.Name = info.Record.Name
	whole := &Info{Entry: &catalog.Entry{Record: slot, Storage: st}, Selector: info.Selector, DType: slot.DType, Layout: l}

	switch by := whole.WritersOf(engine.Writers(st)); {
	case st.State == catalog.Quarantined:
		return nil, s.Engine.CleanLocked(ctx, st)
	case len(by) > 0:
		return nil, engine.UnfinishedWriting(by)
	}
	return whole, s.Engine.MustBeWritten(st)
}

// moveOut copies t, a whole slot, to a file of its own. All names with elements in the slot go
// along.
func (tx *Tx) moveOut(t *Tensor) error {
	old := t.Info.Storage

	// Columns are copied as columns, so that views keep their strides.
	src, order := FromTensor(t.Tensor), RowMajor
	if !t.Layout().IsContiguous() {
		src, order = FromTensor(t.Transpose()), ColumnMajor
	}
	src.Spec = Spec{DType: t.DType(), Shape: t.Shape(), Order: order}

	rec, _, n, err := src.Record(t.Info.Record.Name)
	if err != nil {
		return err
	}

	st, err := tx.newFile(rec, src.Spec, n)
	if err != nil {
		return err
	}

	if old.Seal != nil {
		st.Sums = blocksum.NewCollector(st.Storage.ID, 0)
	}
	if err := st.CopyFrom(tx.Ctx, src.Data, src.Progress, n); err != nil {
		return err
	}

	// What counts as changed since a formula made it still does.
	first, end := t.Info.Bytes()
	st.Storage.Changes = old.ChangesWithin(first, end)
	if err := tx.seal(st); err != nil {
		return err
	}

	// If others have changed or moved the storage since, the copy has other elements than the names.
	return tx.AtCommit("move", rec.Name, func(c *catalog.Tx) error {
		now, err := engine.StorageOf(c, old.ID)
		if err == nil && (!engine.SameFile(now, old) || !engine.SealedAs(now, old)) {
			err = engine.ErrMoved
		}
		if err != nil {
			return err
		}
		return moveNames(c, old.ID, st.Storage.ID, first, end)
	})
}

// moveNames gives the records with elements in bytes first to end of storage from the same elements
// in storage to, which has these bytes alone. It returns engine.ErrMoved if there are no such
// records, and ErrCorrupt if one has elements on either side of a boundary.
func moveNames(c *catalog.Tx, from, to catalog.ID, first, end int64) error {
	names, err := c.Sharers(from, 0)
	if err != nil {
		return err
	}

	moved := false
	for _, name := range names {
		rec, err := c.Get(name)
		if err != nil {
			return err
		}

		lo, hi, err := record.Bytes(rec)
		if err != nil {
			return err
		}
		if hi <= first || end <= lo || lo == hi {
			continue
		}

		// A record that lies partly outside can't follow.
		if lo < first || end < hi || first%int64(rec.DType.Size()) != 0 {
			return fmt.Errorf("%w: elements of %q lie in bytes %d to %d, of which bytes %d to %d are those of another tensor", ErrCorrupt, name, lo, hi, first, end)
		}
		rec.Storage, rec.Offset = to, rec.Offset-first/int64(rec.DType.Size())
		if err := c.Put(rec); err != nil {
			return err
		}
		moved = true
	}

	if !moved {
		return engine.ErrMoved
	}
	return nil
}
