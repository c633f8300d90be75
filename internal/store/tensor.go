package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/view"
)

// Info describes a named tensor without touching its elements.
type Info struct {
	*catalog.Entry
	Selector Selector
	Layout   view.Layout
	DType    dtype.Type
	Copied   bool
	// AxisNames are the axis names of a computed result.
	AxisNames []string
	// partial is true if a change will leave elements of the part as they are, as one of picked
	// elements does.
	partial bool
}

// recordLayout returns the geometry of the whole tensor, which has been checked.
func (i *Info) recordLayout() view.Layout {
	l, err := record.Layout(i.Record)
	if err != nil {
		panic("BUG: the layout of a tensor that was opened: " + err.Error())
	}
	return l
}

// Version grows with every committed change of the tensor: of its record, and of the bytes of its
// storage between its first and its last element.
func (i *Info) Version() uint64 { return record.Version(&i.Record, &i.Storage) }

// Bytes returns the range of payload bytes from the first element to the end of the last. Without
// elements the range is empty and begins at 0, since an offset may lie behind the payload.
func (i *Info) Bytes() (first, end int64) {
	lo, hi := i.Layout.Bounds()
	if lo == hi {
		return 0, 0
	}
	size := int64(i.DType.Size())
	return int64(lo) * size, int64(hi) * size
}

// Modified returns the time of the last change of the record.
func (i *Info) Modified() time.Time { return i.Record.Modified }

// Tensor is a tensor of the store, open for reading. It holds a reference to its mapping until it
// is closed.
type Tensor struct {
	*view.Tensor
	Info  *Info
	Store *Store
	// ComputedFrom has what was looked up to compute the tensor, by name. It is nil for a view.
	ComputedFrom map[string]*catalog.Entry
}

// Unchanged returns an error if the tensor's bytes live in an adopted file that has changed since
// it was opened: what was read may then be a mixture.
func (t *Tensor) Unchanged() error {
	if !t.Info.Storage.Adopted {
		return nil
	}
	return engine.CheckAdopted(t.Store.Engine.FS, t.Info.Storage)
}

// Stat describes the tensor that sel names, or part of one: what Get opens.
func (s *Store) Stat(ctx context.Context, sel string) (*Info, error) {
	parsed, err := s.Resolve(ctx, sel)
	if err != nil {
		return nil, s.noView(ctx, sel, err)
	}
	info, err := s.StatSelected(ctx, parsed)
	return info, s.noView(ctx, sel, err)
}

// StatTarget describes the part of a tensor that Set and Fill of sel change: what Stat describes,
// or where sel ends in index arrays or a mask, stored or computed ("x[y > 0]"), the part of which
// they pick elements.
func (s *Store) StatTarget(ctx context.Context, sel string) (*Info, error) {
	parsed, err := s.resolveTarget(ctx, sel)
	if err != nil {
		return nil, err
	}
	parsed.Chain, _ = parsed.Chain.CutPick()
	return s.statPart(ctx, parsed)
}

// statPart describes the part of a tensor that is to be changed.
func (s *Store) statPart(ctx context.Context, sel Selector) (*Info, error) {
	info, err := s.StatSelected(ctx, sel)
	if errors.Is(err, view.ErrNeedsCopy) {
		return nil, fmt.Errorf("%w: elements are changed through views, and through index arrays or a mask that stand last", err)
	}
	return info, s.notWritten(ctx, sel.String(), err)
}

// WrongKind returns the error for a record that is asked for as a tensor and is none: ErrLazy or
// ErrWrongKind.
func WrongKind(rec *catalog.Record) error {
	if rec.Kind == catalog.KindLazy {
		return fmt.Errorf("%w: %q stands for an expression: Store.Evaluate computes it, Store.Materialize (tstore define --materialize) makes it a tensor", ErrLazy, rec.Name)
	}
	return fmt.Errorf("%w: %q is a %v, not a tensor", ErrWrongKind, rec.Name, rec.Kind)
}

// StatSelected describes what a selector selects. It returns ErrLazy or ErrWrongKind if the name
// stands for no tensor.
func (s *Store) StatSelected(ctx context.Context, sel Selector) (*Info, error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return nil, err
	}

	e, err := s.SelectedEntry(ctx, sel)
	if err != nil {
		return nil, err
	}
	if e.Record.Kind != catalog.KindTensor {
		return nil, WrongKind(&e.Record)
	}

	l, err := record.Layout(e.Record)
	if err != nil {
		return nil, err
	}

	part, dt, err := sel.Chain.Apply(l, e.Record.DType)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sel, err)
	}
	return &Info{Entry: e, Selector: sel, Layout: part, DType: dt}, nil
}

// Get opens the tensor that sel names, or a view of one, for reading: "x", "group/x[0:10]", "x.T".
func (s *Store) Get(ctx context.Context, sel string) (*Tensor, error) {
	parsed, err := s.Resolve(ctx, sel)
	if err != nil {
		return nil, s.noView(ctx, sel, err)
	}
	t, err := s.GetSelected(ctx, parsed)
	return t, s.noView(ctx, sel, err)
}

// GetSelected opens what sel selects, as Get does; the caller closes it. A file that is gone by the
// time it is opened was replaced, unless the catalog goes on naming it: only then is it ErrMissing.
func (s *Store) GetSelected(ctx context.Context, sel Selector) (*Tensor, error) {
	return s.GetAs(ctx, sel, s.Engine.Options.AllowDirty)
}

// GetAs is GetSelected with dirty in the place of Options.AllowDirty: whether the part may be
// opened while its elements are being written in place. Otherwise that is ErrDirty.
func (s *Store) GetAs(ctx context.Context, sel Selector, dirty bool) (*Tensor, error) {
	for before := (*Info)(nil); ; {
		info, err := s.readable(ctx, sel, dirty)
		if err != nil {
			return nil, err
		}
		t, err := s.open(ctx, info)
		if !errors.Is(err, ErrMissing) || before != nil && slices.Equal(before.Storage.OwnFiles(), info.Storage.OwnFiles()) {
			return t, err
		}
		before = info
	}
}

// readable describes the part that sel selects, whose elements may be read.
func (s *Store) readable(ctx context.Context, sel Selector, dirty bool) (*Info, error) {
	info, err := s.StatSelected(ctx, sel)
	if err != nil || info.Storage.State == catalog.Clean {
		return info, err
	}
	if info, err = s.admitUnclean(ctx, info, dirty); err != nil {
		return nil, fmt.Errorf("open %q: %w", sel.Name, err)
	}
	return info, nil
}

func (s *Store) open(ctx context.Context, info *Info) (*Tensor, error) {
	sel := info.Selector
	// The mapping lives until the tensor releases its own reference.
	m, err := s.Engine.MapStorage(ctx, info.Storage)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", sel.Name, err)
	}
	defer m.Release()

	t, err := view.NewTensor(m, info.DType, info.Layout)
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", sel.Name, err)
	}

	opened := &Tensor{Tensor: t, Info: info, Store: s}
	if s.Engine.Options.Paranoid {
		if err := s.verifyOpened(ctx, opened); err != nil {
			return nil, errors.Join(fmt.Errorf("open %q: %w", sel.Name, err), opened.Close())
		}
	}
	return opened, nil
}

// admitUnclean decides whether the elements of a storage that is not clean may be read. It
// completes an interrupted small change. If elements of the part are being written in place, or
// were left unfinished, it returns ErrDirty unless dirty is set.
func (s *Store) admitUnclean(ctx context.Context, info *Info, dirty bool) (*Info, error) {
	if info.Selector.Snapshot != "" && info.Storage.State != catalog.Quarantined {
		return nil, fmt.Errorf("%w: a snapshot says that the storage is %v", ErrCorrupt, info.Storage.State)
	}

	if info.Storage.State == catalog.Patching {
		var err error
		if info, err = s.awaitPatch(ctx, info); err != nil {
			return nil, err
		}
	}

	switch info.Storage.State {
	case catalog.Clean:
		return info, nil
	case catalog.Dirty:
		if dirty {
			return info, nil
		}
		return s.admitDirty(ctx, info)
	default:
		return nil, fmt.Errorf("%w: run tstore fsck for the reason", ErrQuarantined)
	}
}

// admitDirty returns ErrDirty if elements of the part are being written in place, or were left
// unfinished by a dead writer.
func (s *Store) admitDirty(ctx context.Context, info *Info) (*Info, error) {
	// Writers of other parts don't matter.
	by := info.WritersOf(engine.Writers(info.Storage))
	if len(by) == 0 {
		return info, nil
	}

	for _, w := range by {
		atWork, err := s.Engine.IsAtWork(info.Storage.ID, w)
		if err != nil {
			return nil, err
		}
		if atWork {
			return nil, fmt.Errorf("%w: %s is writing it in place now: wait, or allow dirty reads", ErrDirty, engine.Tell(by))
		}
	}

	// They may have finished since info was read.
	now, err := s.StatSelected(ctx, info.Selector)
	if err != nil {
		return nil, err
	}

	if !reflect.DeepEqual(now.Storage, info.Storage) {
		return s.admitUnclean(ctx, now, false)
	}
	return nil, engine.UnfinishedWriting(by)
}

// patchPoll is how often awaitPatch looks whether a patch is done.
const patchPoll = 500 * time.Microsecond

// awaitPatch waits while a living process applies the patch of the storage, and applies it itself
// if nobody does: until then the bytes may be half old, half new. It does not wait for the
// storage's lock, which the writer may keep for other work.
func (s *Store) awaitPatch(ctx context.Context, info *Info) (*Info, error) {
	for began := time.Now(); info.Storage.State == catalog.Patching; {
		busy, err := s.Engine.StorageBusy(info.Storage.ID)
		if err != nil {
			return nil, err
		}
		if busy && time.Since(began) > s.Engine.Options.Patience() {
			id := info.Storage.ID
			err = engine.WaitedTooLong(s.Engine.LockPath(), engine.StorageKey(id), began, engine.WriteLockOf(id, info.Record.Name))
		} else if busy {
			err = engine.Pause(ctx, patchPoll)
		} else if err = s.Engine.RecoverPatch(ctx, info.Storage.ID, info.Record.Name); errors.Is(err, ErrReadOnly) {
			// It may have been applied since info was read.
			var now *Info
			if now, err = s.StatSelected(ctx, info.Selector); err == nil && now.Storage.State == catalog.Patching {
				err = fmt.Errorf("%w: a small change was interrupted: open the store for writing once, or run: tstore fsck --repair", ErrDirty)
			}
		}

		if err != nil {
			return nil, err
		}

		if info, err = s.StatSelected(ctx, info.Selector); err != nil {
			return nil, err
		}
	}
	return info, nil
}

// LookedUp yields the names in the store that the elements come from, with the entries that were
// found. It yields nothing for a tensor of a snapshot, which does not change.
func (t *Tensor) LookedUp() iter.Seq2[string, *catalog.Entry] {
	return func(yield func(string, *catalog.Entry) bool) {
		switch {
		case t.Info.Copied:
			maps.All(t.ComputedFrom)(yield)
		case t.Info.Selector.Snapshot == "":
			yield(t.Info.Selector.Name, t.Info.Entry)
		}
	}
}
