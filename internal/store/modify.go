package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/view"
)

// Set copies src to the part of a tensor that sel names, converting elements and repeating axes as
// NumPy's assignment does.
func (s *Store) Set(ctx context.Context, sel string, src *view.Tensor) error {
	return s.modify(ctx, "set", sel, func(dst *view.Tensor, f view.Fancy) error {
		if f != nil {
			return view.Scatter(ctx, dst, f, src)
		}
		return view.Copy(ctx, dst, src)
	})
}

// Fill sets every element of the part that sel names to v, converted to the tensor's dtype.
func (s *Store) Fill(ctx context.Context, sel string, v dtype.Scalar) error {
	return s.modify(ctx, "fill", sel, func(dst *view.Tensor, f view.Fancy) error {
		if f != nil {
			return scalarTensor(v, func(src *view.Tensor) error { return view.Scatter(ctx, dst, f, src) })
		}
		return view.Fill(ctx, dst, v)
	})
}

func (s *Store) modify(ctx context.Context, verb, sel string, apply pickedChange) error {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return err
	}
	defer end()
	parsed, err := s.resolveLive(ctx, sel)
	if err != nil {
		return err
	}
	if err := s.ModifyPart(ctx, parsed, ElementChange{Apply: apply}); err != nil {
		return fmt.Errorf("%s %s: %w", verb, sel, err)
	}
	return nil
}

// pickedChange stores into dst, or if f is not nil into the elements of dst that f picks. It may be
// called again, with another dst.
type pickedChange func(dst *view.Tensor, f view.Fancy) error

// ElementChange says how elements of a part are changed by ModifyPart.
type ElementChange struct {
	// Begin, if not nil, is called once, before anything is written, with the part as it is under
	// the lock.
	Begin func(now *Info) error
	// Lookup opens what a name in the brackets of a pick stands for, and gives it to o.Keep. Nil
	// stands for what Evaluate makes of the name.
	Lookup func(o *Operands, name string) (*view.Tensor, error)
	// Apply stores the elements.
	Apply pickedChange
}

// ModifyPart changes the part that sel selects, under the lock of its storage. If the tensor moves
// before the lock is taken, it tries again, unless change.Begin has been called.
func (s *Store) ModifyPart(ctx context.Context, sel Selector, change ElementChange) error {
	begun := false
	if begin := change.Begin; begin != nil {
		change.Begin = func(now *Info) error {
			begun = true
			return begin(now)
		}
	}
	return engine.UntilStill(func() error { return s.tryModify(ctx, sel, change) }, func() bool { return !begun })
}

func (s *Store) tryModify(ctx context.Context, sel Selector, change ElementChange) error {
	// Lock what is to be changed.
	var pick string
	sel.Chain, pick = sel.Chain.CutPick()
	info, err := s.statPart(ctx, sel)
	if err != nil {
		return err
	}
	if err := info.MustBeOpen(); err != nil {
		return err
	}
	lock, err := s.Engine.LockStorage(ctx, info.Storage.ID, info.Record.Name)
	if err != nil {
		return err
	}
	defer lock.Unlock()

	// Look at it again, and change it.
	now, err := s.StatLocked(ctx, sel, info.Storage.ID)
	if err != nil {
		return err
	}
	if err := now.MustBeOpen(); err != nil {
		return err
	}
	if change.Begin != nil {
		if err := change.Begin(now); err != nil {
			return err
		}
	}
	if pick == "" {
		return s.modifyLocked(ctx, now, nil, change.Apply)
	}
	now.partial = true
	return s.modifyPicked(ctx, now, pick, change)
}

// MustBeOpen returns ErrReadOnly if the elements are in an adopted file, and ErrSealed if they are
// sealed.
func (i *Info) MustBeOpen() error {
	switch {
	case i.Storage.Adopted:
		return fmt.Errorf("%w: its bytes are in the adopted file %s: copy it in first, with: tstore cp", ErrReadOnly, i.Storage.Path)
	case i.Storage.Seal != nil:
		return i.sealedError()
	}
	return nil
}

func (i *Info) sealedError() error {
	return fmt.Errorf("%w: unseal it first, with: tstore unseal %q, or change a copy of it (tstore cp)", ErrSealed, i.Record.Name)
}

// StatLocked describes the part that sel selects in the storage id, whose lock the caller holds. It
// first completes what a dead writer left there. It returns engine.ErrMoved if the name is in
// another storage by now.
func (s *Store) StatLocked(ctx context.Context, sel Selector, id catalog.ID) (*Info, error) {
	for try := 1; ; try++ {
		now, err := s.StatSelected(ctx, sel)
		switch {
		case err != nil:
			return nil, err
		case now.Storage.ID != id:
			return nil, engine.ErrMoved
		case now.Storage.State == catalog.Clean:
			return now, s.Engine.MustBeWritten(now.Storage)
		case try == engine.Attempts:
			return nil, fmt.Errorf("%w: its storage does not become clean", ErrConflict)
		}

		// The lock is held, so whoever left the storage unclean is dead.
		if err := s.Engine.CleanLocked(ctx, now.Storage); err != nil {
			return nil, err
		}
	}
}

// modifyLocked changes the part that info describes, or only what f picks of it if f is not nil.
func (s *Store) modifyLocked(ctx context.Context, info *Info, f view.Fancy, apply pickedChange) error {
	lo, hi := info.Layout.Bounds()
	room := info.Storage.PayloadBytes / int64(info.DType.Size())
	if lo != hi && int64(hi) > room {
		return fmt.Errorf("%w: record of %q reaches to element %d of a storage with room for %d", ErrCorrupt, info.Record.Name, hi, room)
	}

	small, err := info.smallChange(ctx, f)
	if err != nil {
		return err
	}

	whole := func(dst *view.Tensor) error { return apply(dst, f) }
	if small == nil {
		return s.rewrite(ctx, info, whole)
	}

	// A snapshot that has the file may be read at any time, so the file must not change: rewrite
	// it.
	err = s.patch(ctx, info, small, apply)
	if errors.Is(err, engine.ErrHeld) {
		return s.rewrite(ctx, info, whole)
	}
	return err
}

// rewrite changes a copy of the storage and publishes it as the storage's next generation, for all
// tensors that share it. Readers keep the old one.
func (s *Store) rewrite(ctx context.Context, info *Info, change func(*view.Tensor) error) error {
	old := info.Storage
	next, err := s.Engine.NextFile(old)
	if err != nil {
		return err
	}
	st, err := s.Engine.Stage(next)
	if err != nil {
		return err
	}
	if err := rewriteFrom(ctx, st, info, change); err != nil {
		return errors.Join(err, st.Discard())
	}
	return s.Engine.Publish(ctx, []*engine.Staged{st}, func(c *catalog.Tx) error {
		return NextGeneration(c, old, st.Storage, info)
	})
}

// NextGeneration commits next, whose file was made of that of old, as the file of their storage.
// changed are the parts whose elements differ. It returns ErrConflict if old is no longer the
// storage's file or is sealed, and engine.ErrMoved if a changed part has lost its name.
func NextGeneration(c *catalog.Tx, old, next catalog.Storage, changed ...*Info) error {
	now, err := engine.StorageOf(c, old.ID)
	if err != nil {
		return err
	}
	if !engine.SameFile(now, old) || now.Seal != nil || next.Gen < now.Next() {
		return ErrConflict
	}
	if err := mustStillName(c, changed...); err != nil {
		return err
	}
	now.Gen, now.HeaderSum = next.Gen, next.HeaderSum
	return putChanged(c, now, changed)
}

// mustStillName returns engine.ErrMoved if a name through which elements are about to change stands for
// other elements by now: whoever asked for the change would not find it there.
func mustStillName(c *catalog.Tx, changed ...*Info) error {
	for _, info := range changed {
		rec, err := c.Get(info.Record.Name)
		if errors.Is(err, ErrNotFound) || err == nil && !showsSame(&rec, &info.Record) {
			err = engine.ErrMoved
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// showsSame reports whether two records show the same elements of one storage.
func showsSame(a, b *catalog.Record) bool {
	return a.Kind == b.Kind && a.Storage == b.Storage && a.DType == b.DType && a.Offset == b.Offset &&
		slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Strides, b.Strides)
}

// putChanged commits a storage, and counts that parts of it have changed.
func putChanged(c *catalog.Tx, st catalog.Storage, changed []*Info) error {
	var errs []error
	for _, info := range changed {
		st.Change(info.Bytes())
		errs = append(errs, touch(c, info))
	}
	return errors.Join(append(errs, c.PutStorage(st))...)
}

// putTouched commits a storage, parts of which are about to change.
func putTouched(c *catalog.Tx, st catalog.Storage, parts []*Info) error {
	errs := []error{c.PutStorage(st)}
	for _, info := range parts {
		errs = append(errs, touch(c, info))
	}
	return errors.Join(errs...)
}

// touch notes the time of a change of the elements in the record of the tensor through which they
// were changed. They are no longer what a formula makes.
func touch(c *catalog.Tx, seen *Info) error {
	rec, err := c.Get(seen.Record.Name)
	if errors.Is(err, ErrNotFound) || err == nil && rec.Storage != seen.Storage.ID {
		return nil
	}
	if err != nil {
		return err
	}
	rec.Modified, rec.Formula = time.Now().UTC(), catalog.Formula{}
	return c.Put(rec)
}

// rewriteFrom fills the staged file with the committed bytes of info's storage, and applies change
// to the part that info describes. If the part is the whole file, the old bytes are not read.
func rewriteFrom(ctx context.Context, st *engine.Staged, info *Info, change func(*view.Tensor) error) error {
	var err error
	if info.isWholeFile() {
		err = st.ReplaceAll(ctx, info.Record)
	} else {
		err = st.CloneFrom(ctx, info.Storage)
	}
	if err != nil {
		return err
	}
	return st.Fill(ctx, info.DType, info.Layout, change)
}

// isWholeFile reports whether the part is all that the storage's file holds, and no other tensor
// shares the file.
func (i *Info) isWholeFile() bool {
	return !i.partial && i.Storage.Refs == 1 && i.DType == i.Record.DType && i.Layout.Equal(i.recordLayout()) && record.CoversWhole(i.Record, i.Layout, i.Storage)
}
