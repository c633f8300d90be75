package store

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

// Writable is a tensor open for writing in place.
type Writable struct {
	*view.Tensor
	Info *Info

	store *Store
	// ctx is the context of the opening, without its cancellation: Close does not depend on it.
	ctx     context.Context
	Storage *mmapstore.Storage
	file    fsx.File
	claim   *claim
	closed  atomic.Bool
	// changes is the number of changes that the storage had had.
	changes uint64
}

// OpenWritable opens the tensor that sel names, or part of one, for writing in place.
func (s *Store) OpenWritable(ctx context.Context, sel string) (*Writable, error) {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return nil, err
	}
	defer end()
	parsed, err := s.resolveLive(ctx, sel)
	if err != nil {
		return nil, err
	}
	w, err := s.OpenWritableAs(ctx, parsed, WriteOptions{})
	if err != nil {
		return nil, fmt.Errorf("open %q for writing: %w", sel, err)
	}
	return w, nil
}

// WriteOptions of OpenWritableAs.
type WriteOptions struct {
	// Parts returns the parts of the storage that are written, and those that are only read. Nil means
	// that the selected part is written.
	Parts func(now *Info) (writes, reads []*Info, err error)
	// Patient says that other writers are waited for. Otherwise elements that someone else writes are
	// ErrBusy.
	Patient bool
}

// errNeedsStorage: the whole storage must be locked for a moment before parts of it can be written.
var errNeedsStorage = errors.New("storage is not ready to be written in parts")

// OpenWritableAs opens a tensor for writing in place. It tries again after it has removed what is in
// the way, at most engine.Attempts times; waiting for other writers is bounded by the patience.
func (s *Store) OpenWritableAs(ctx context.Context, sel Selector, how WriteOptions) (w *Writable, err error) {
	began := time.Now()
	for try := 1; ; {
		w, err = s.tryWritable(ctx, sel, how)

		var taken *takenError
		switch {
		case how.Patient && errors.As(err, &taken):
			err = taken.await(ctx, s, began)
		case try == engine.Attempts:
			return w, err
		// These need the whole storage for a moment. After that the next try claims parts only.
		case errors.Is(err, errNeedsStorage) || errors.Is(err, engine.ErrHeld):
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

func (s *Store) tryWritable(ctx context.Context, sel Selector, how WriteOptions) (*Writable, error) {
	info, err := s.StatSelected(ctx, sel)
	if err != nil {
		return nil, err
	}

	if err := info.MustBeOpen(); err != nil {
		return nil, err
	}

	// Who has all of a storage that a snapshot has may be copying it, for the same end.
	held, err := s.IsHeld(ctx, info.Storage)
	if err != nil {
		return nil, err
	}

	c, err := s.claimStorage(ctx, info.Storage.ID, info.Record.Name, how.Patient || held)
	if err != nil {
		return nil, err
	}

	s.Engine.KeepCatalog()
	w := &Writable{store: s, ctx: context.WithoutCancel(ctx), claim: c}
	if err := w.open(ctx, sel, how); err != nil {
		return nil, errors.Join(err, w.release())
	}
	return w, nil
}

// prepareWritable completes what a dead writer left, and gives a storage that a snapshot has a file
// of its own. Nobody else writes it meanwhile.
func (s *Store) prepareWritable(ctx context.Context, sel Selector) error {
	info, err := s.StatSelected(ctx, sel)
	if err != nil {
		return err
	}

	return s.UnderLock(ctx, info.Storage, info.Record.Name, func(ctx context.Context, st catalog.Storage) error {
		if st.State == catalog.Patching {
			if err := s.Engine.ApplyPatch(ctx, st); err != nil {
				return err
			}
		}

		// A snapshot's file must not change.
		held, err := s.IsHeld(ctx, st)
		if err != nil || !held {
			return err
		}
		return s.Engine.Unshare(ctx, st)
	})
}

// open maps the storage and marks the parts dirty, durably, before anything can be stored.
func (w *Writable) open(ctx context.Context, sel Selector, how WriteOptions) error {
	var err error
	// The claim is held: describe the tensor as it is now.
	if w.Info, err = w.store.StatSelected(ctx, sel); err != nil {
		return err
	}

	st := w.Info.Storage
	if st.ID != w.claim.id {
		return engine.ErrMoved
	}
	if err := errors.Join(w.store.Engine.MustBeWritten(st), w.Info.MustBeOpen()); err != nil {
		return err
	}

	writes, reads := []*Info{w.Info}, []*Info(nil)
	if how.Parts != nil {
		if writes, reads, err = how.Parts(w.Info); err != nil {
			return err
		}
	}

	if w.file, err = w.store.Engine.OpenData(ctx, st, os.O_RDWR); err != nil {
		return err
	}
	if w.Storage, err = mmapstore.MapFile(fsx.OSFile(w.file), st.HeaderBytes, st.PayloadBytes, mmapstore.Shared); err != nil {
		return err
	}
	if w.Tensor, err = view.NewTensor(w.Storage, w.Info.DType, w.Info.Layout); err != nil {
		return err
	}

	// The commit is the last step: after it each store through the mapping counts as unfinished
	// until leave.
	return w.store.Engine.MarkStorage(ctx, st.ID, func(c *catalog.Tx, now catalog.Storage) error {
		if err := engine.MustBeFreeToWrite(c, now, st); err != nil {
			return err
		}
		if now.State == catalog.Patching {
			return errNeedsStorage
		}
		if now.State == catalog.Quarantined {
			return w.store.Engine.CleanLocked(ctx, now)
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

// Flush makes what was stored so far durable.
func (w *Writable) Flush() error {
	if w.closed.Load() {
		return fmt.Errorf("flush %q: %w", w.Info.Record.Name, ErrClosed)
	}
	return w.flush()
}

func (w *Writable) flush() error {
	if w.store.Engine.Level == storefile.DurabilityPower {
		first, end := w.claim.bytes()
		if err := w.Storage.Flush(first, end-first); err != nil {
			return w.store.Engine.Poison(fmt.Errorf("flush %q: %w", w.Info.Record.Name, err))
		}
	}
	if err := w.store.Engine.SyncFile(w.file); err != nil {
		return w.store.Engine.Poison(fmt.Errorf("sync %q: %w", w.Info.Record.Name, err))
	}
	return nil
}

// WriteBack writes stored elements to the disk, so that little is left to Close. It returns an
// error only if ctx has ended: Close meets other errors again.
func (w *Writable) WriteBack(ctx context.Context) error {
	if w.store.Engine.Level != storefile.DurabilityPower {
		return nil
	}
	first, end := w.claim.bytes()
	_ = w.Storage.WriteBack(ctx, first, end-first)
	return ctx.Err()
}

// Close flushes what was written, clears the dirty mark, counts the change in the version of every
// tensor that shares the bytes, and gives the right to write back.
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
	err := w.store.Engine.MarkStorage(w.ctx, w.Info.Storage.ID, func(c *catalog.Tx, st catalog.Storage) error {
		if st.Gen != w.Info.Storage.Gen {
			return engine.ErrMoved // it was deleted, and restored from a snapshot
		}

		quarantined = st.State == catalog.Quarantined
		w.claim.leave(&st)

		// The file was synced, but what another writer has left to the system since it was opened
		// may have come after that.
		if stamp := w.store.Engine.Stamp(); stamp != "" || st.Changes == w.changes {
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
	return w.store.Engine.MarkStorage(w.ctx, w.Info.Storage.ID, func(c *catalog.Tx, st catalog.Storage) error {
		if st.Gen != w.Info.Storage.Gen {
			return engine.ErrMoved // what was stored is gone
		}
		st.State = catalog.Quarantined
		return c.PutStorage(st)
	})
}

// Abandon gives the right to write back and leaves the mark, for elements that may be half written.
// After Close it does nothing.
func (w *Writable) Abandon() error {
	if w.closed.Swap(true) {
		return nil
	}
	return w.release()
}

func (w *Writable) release() error {
	return errors.Join(w.unmap(), w.claim.release(), w.store.Engine.DropCatalog())
}

// unmap releases the mapping and closes the file.
func (w *Writable) unmap() error {
	var errs []error
	if w.Tensor != nil {
		errs = append(errs, w.Tensor.Close())
	}
	if w.Storage != nil {
		errs = append(errs, w.Storage.Release())
	}
	if w.file != nil {
		errs = append(errs, w.file.Close())
	}
	return errors.Join(errs...)
}
