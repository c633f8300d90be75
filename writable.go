package tstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Writable is a tensor open for writing in place. What is stored through it changes the bytes that
// all views of the storage share, at once and without a way back. While it is open, and after a
// crash until someone has looked, its elements are marked dirty: tensors that have some of them
// open for others only on request.
//
// Any number of Writables of a storage can be open at a time, over all processes, as long as no two
// of them have an element in common. Whatever needs the whole storage (Append, Set, Fill, Seal, a
// snapshot, …) waits for them.
type Writable struct {
	*view.Tensor
	Info *Info

	store *Store
	// ctx is the context of the opening, without its cancellation: Close does not depend on it.
	ctx     context.Context
	storage *mmapstore.Storage
	file    fsx.File
	claim   *claim
	closed  atomic.Bool
	// changes is the number of changes that the storage had had.
	changes uint64
}

// OpenWritable opens the tensor that sel names, or part of one, for writing in place. It returns
// ErrBusy if another writer has some of its elements or the whole storage, and names the writer. It
// returns ErrReadOnly for an adopted tensor, and ErrSealed for a sealed one. Close makes the writes
// durable and clears the mark.
func (s *Store) OpenWritable(ctx context.Context, sel string) (*Writable, error) {
	end, err := s.eng.BeginChange()
	if err != nil {
		return nil, err
	}
	defer end()
	parsed, err := s.resolveLive(ctx, sel)
	if err != nil {
		return nil, err
	}
	w, err := s.openWritable(ctx, parsed, writing{})
	if err != nil {
		return nil, fmt.Errorf("open %q for writing: %w", sel, err)
	}
	return w, nil
}

// writing describes how a tensor is written in place.
type writing struct {
	// parts returns the parts of the storage that are written, and the parts that are read besides.
	// Nil means that the part of the selector is written.
	parts func(now *Info) (writes, reads []*Info, err error)
	// patient waits for other writers.
	patient bool
}

// errUnsettled: all of the storage is needed for a moment, before parts of it can be written.
var errUnsettled = errors.New("storage is not ready to be written in parts")

// openWritable opens a tensor for writing in place. It tries again after it has removed what is in
// the way, at most engine.Attempts times; waiting for other writers is bounded by the patience.
func (s *Store) openWritable(ctx context.Context, sel Selector, how writing) (w *Writable, err error) {
	began := time.Now()
	for try := 1; ; {
		w, err = s.tryWritable(ctx, sel, how)

		var taken *takenError
		switch {
		case how.patient && errors.As(err, &taken):
			err = taken.await(ctx, s, began)
		case try == engine.Attempts:
			return w, err
		// These need the whole storage for a moment. After that the next try claims parts only.
		case errors.Is(err, errUnsettled) || errors.Is(err, engine.ErrHeld):
			try++
			if err = s.prepareWritable(ctx, sel); errors.Is(err, engine.ErrMoved) {
				err = nil
			}
		case errors.Is(err, engine.ErrMoved):
			try++
			err = nil
		default:
			return w, err
		}

		if err != nil {
			return nil, err
		}
	}
}

func (s *Store) tryWritable(ctx context.Context, sel Selector, how writing) (*Writable, error) {
	info, err := s.stat(ctx, sel)
	if err != nil {
		return nil, err
	}

	if err := info.mustBeOpen(); err != nil {
		return nil, err
	}

	// Who has all of a storage that a snapshot has may be copying it, for the same end.
	held, err := s.IsHeld(ctx, info.Storage)
	if err != nil {
		return nil, err
	}

	c, err := s.claimStorage(ctx, info.Storage.ID, info.Record.Name, how.patient || held)
	if err != nil {
		return nil, err
	}

	s.eng.KeepCatalog()
	w := &Writable{store: s, ctx: context.WithoutCancel(ctx), claim: c}
	if err := w.open(ctx, sel, how); err != nil {
		return nil, errors.Join(err, w.release())
	}
	return w, nil
}

// prepareWritable completes what a dead writer left, and gives a storage that a snapshot has a file
// of its own. Nobody else writes it meanwhile.
func (s *Store) prepareWritable(ctx context.Context, sel Selector) error {
	info, err := s.stat(ctx, sel)
	if err != nil {
		return err
	}

	return s.underLock(ctx, info.Storage, info.Record.Name, func(ctx context.Context, st catalog.Storage) error {
		if st.State == catalog.Patching {
			if err := s.eng.ApplyPatch(ctx, st); err != nil {
				return err
			}
		}

		// A snapshot's file must not change.
		held, err := s.IsHeld(ctx, st)
		if err != nil || !held {
			return err
		}
		return s.eng.Unshare(ctx, st)
	})
}

// open maps the storage and marks the parts dirty, durably, before anything can be stored.
func (w *Writable) open(ctx context.Context, sel Selector, how writing) error {
	var err error
	// The claim is held: describe the tensor as it is now.
	if w.Info, err = w.store.stat(ctx, sel); err != nil {
		return err
	}

	st := w.Info.Storage
	if st.ID != w.claim.id {
		return engine.ErrMoved
	}
	if err := errors.Join(w.store.eng.MustBeWritten(st), w.Info.mustBeOpen()); err != nil {
		return err
	}

	writes, reads := []*Info{w.Info}, []*Info(nil)
	if how.parts != nil {
		if writes, reads, err = how.parts(w.Info); err != nil {
			return err
		}
	}

	if w.file, err = w.store.eng.OpenData(ctx, st, os.O_RDWR); err != nil {
		return err
	}
	if w.storage, err = mmapstore.MapFile(fsx.OSFile(w.file), st.HeaderBytes, st.PayloadBytes, mmapstore.Shared); err != nil {
		return err
	}
	if w.Tensor, err = view.NewTensor(w.storage, w.Info.DType, w.Info.Layout); err != nil {
		return err
	}

	// The commit is the last step: after it each store through the mapping counts as unfinished
	// until leave.
	return w.store.eng.MarkStorage(ctx, st.ID, func(c *catalog.Tx, now catalog.Storage) error {
		if err := engine.MustBeFreeToWrite(c, now, st); err != nil {
			return err
		}
		if now.State == catalog.Patching {
			return errUnsettled
		}
		if now.State == catalog.Quarantined {
			return w.store.eng.SettleLocked(ctx, now)
		}

		if err := mustStillName(c, writes...); err != nil {
			return err
		}

		w.changes = now.Changes
		if err := w.claim.enter(&now, writes, reads); err != nil {
			return err
		}
		return putTouched(c, now, writes)
	})
}

// Flush makes what was stored so far durable. The storage stays marked dirty. The first failure is
// final: the store's handle stops writing.
func (w *Writable) Flush() error {
	if w.closed.Load() {
		return fmt.Errorf("flush %q: %w", w.Info.Record.Name, ErrClosed)
	}
	return w.flush()
}

func (w *Writable) flush() error {
	if w.store.eng.Level == storefile.DurabilityPower {
		first, end := w.claim.bytes()
		if err := w.storage.Flush(first, end-first); err != nil {
			return w.store.eng.Poison(fmt.Errorf("flush %q: %w", w.Info.Record.Name, err))
		}
	}
	if err := w.store.eng.SyncFile(w.file); err != nil {
		return w.store.eng.Poison(fmt.Errorf("sync %q: %w", w.Info.Record.Name, err))
	}
	return nil
}

// writeBack writes stored elements to the disk, so that little is left to Close. It returns an
// error only if ctx has ended: Close meets other errors again.
func (w *Writable) writeBack(ctx context.Context) error {
	if w.store.eng.Level != storefile.DurabilityPower {
		return nil
	}
	first, end := w.claim.bytes()
	_ = w.storage.WriteBack(ctx, first, end-first)
	return ctx.Err()
}

// Close flushes what was written, clears the dirty mark, counts the change in the version of every
// tensor that shares the bytes, and gives the right to write back. If the flush fails, the storage
// is quarantined. Close returns ErrQuarantined if the flush of another writer failed meanwhile. It
// returns ErrConflict if all names of the storage were deleted or replaced meanwhile, even if they
// were restored later: what was written went with them. It is idempotent.
func (w *Writable) Close() error {
	if w.closed.Swap(true) {
		return nil
	}
	err := w.flush()
	if err != nil {
		err = errors.Join(err, w.quarantine())
	} else {
		err = w.leave()
	}
	return errors.Join(err, w.release())
}

// leave clears the mark of what was written, and counts the change.
func (w *Writable) leave() error {
	quarantined := false
	err := w.store.eng.MarkStorage(w.ctx, w.Info.Storage.ID, func(c *catalog.Tx, st catalog.Storage) error {
		if st.Gen != w.Info.Storage.Gen {
			return engine.ErrMoved // it was deleted, and restored from a snapshot
		}

		quarantined = st.State == catalog.Quarantined
		w.claim.leave(&st)

		// The file was synced, but what another writer has left to the system since it was opened
		// may have come after that.
		if stamp := w.store.eng.Stamp(); stamp != "" || st.Changes == w.changes {
			st.Boot = stamp
		}
		return putChanged(c, st, w.claim.writes)
	})

	if err != nil {
		err = fmt.Errorf("%q is written; take off the mark that says it is not: %w", w.Info.Record.Name, err)
	}
	if err == nil && quarantined {
		err = fmt.Errorf("%w: what another writer wrote could not be made durable: run tstore fsck", ErrQuarantined)
	}
	return err
}

// quarantine takes the storage out of use. Stored elements may be lost or not, and a second try to
// flush them would not tell. The entry of the writer stays, and names the part.
func (w *Writable) quarantine() error {
	return w.store.eng.MarkStorage(w.ctx, w.Info.Storage.ID, func(c *catalog.Tx, st catalog.Storage) error {
		if st.Gen != w.Info.Storage.Gen {
			return engine.ErrMoved // what was stored is gone
		}
		st.State = catalog.Quarantined
		return c.PutStorage(st)
	})
}

// abandon gives the right to write back and leaves the mark, for elements that may be half written.
// After Close it does nothing.
func (w *Writable) abandon() error {
	if w.closed.Swap(true) {
		return nil
	}
	return w.release()
}

func (w *Writable) release() error {
	return errors.Join(w.unmap(), w.claim.release(), w.store.eng.DropCatalog())
}

// unmap lets go of the storage and its file.
func (w *Writable) unmap() error {
	var errs []error
	if w.Tensor != nil {
		errs = append(errs, w.Tensor.Close())
	}
	if w.storage != nil {
		errs = append(errs, w.storage.Release())
	}
	if w.file != nil {
		errs = append(errs, w.file.Close())
	}
	return errors.Join(errs...)
}
