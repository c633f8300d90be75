package tstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Writable is a tensor open for writing in place. What is stored through it
// changes the bytes that all views of the storage share, at once and without
// a way back. While it is open, and after a crash until someone has looked,
// the storage is marked dirty and opens for others only on request.
//
// One Writable of a storage can be open at a time, over all processes.
type Writable struct {
	*view.Tensor
	Info *Info

	store   *Store
	storage *mmapstore.Storage
	file    fsx.File
	lock    *filelock.Held
	closed  atomic.Bool
	// changed are the parts of the storage that Close counts a change of.
	changed []*Info
	// before is the mark that the storage had, and that Close gives back: an
	// earlier writer may have left it half written elsewhere.
	before catalog.Storage
}

// OpenWritable opens the tensor that sel names, or part of one, for writing in
// place. ErrBusy when another writer has the storage, ErrReadOnly when it is
// adopted, ErrSealed when it is sealed. Close makes the writes durable and takes the mark off.
func (s *Store) OpenWritable(ctx context.Context, sel string) (*Writable, error) {
	end, err := s.beginChange()
	if err != nil {
		return nil, err
	}
	defer end()
	parsed, err := s.resolveLive(ctx, sel)
	if err != nil {
		return nil, err
	}
	w, err := s.openWritable(ctx, parsed, s.lockStorageSoon)
	if err != nil {
		return nil, fmt.Errorf("open %q for writing: %w", sel, err)
	}
	return w, nil
}

// storageLocker is lockStorage or lockStorageSoon.
type storageLocker func(ctx context.Context, id catalog.ID, name string) (*filelock.Held, error)

func (s *Store) openWritable(ctx context.Context, sel Selector, lock storageLocker) (w *Writable, err error) {
	err = untilStill(func() error {
		w, err = s.tryWritable(ctx, sel, lock)
		return err
	}, func() bool { return true })
	return w, err
}

func (s *Store) tryWritable(ctx context.Context, sel Selector, lock storageLocker) (*Writable, error) {
	info, err := s.stat(ctx, sel)
	if err != nil {
		return nil, err
	}
	if err := info.mustBeOpen(); err != nil {
		return nil, err
	}
	held, err := lock(ctx, info.Storage.ID, info.Record.Name)
	if err != nil {
		return nil, err
	}
	s.keepCatalog()
	w := &Writable{store: s, lock: held}
	if err := w.openOwn(ctx, sel, info.Storage.ID); err != nil {
		return nil, errors.Join(err, w.release())
	}
	return w, nil
}

// openOwn opens a file that no snapshot has: a copy, where one has it.
func (w *Writable) openOwn(ctx context.Context, sel Selector, id catalog.ID) error {
	for try := 1; ; try++ {
		err := w.open(ctx, sel, id)
		if !errors.Is(err, errHeld) || try == attempts {
			return err
		}
		err = w.unmap()
		w.Tensor, w.storage, w.file = nil, nil, nil
		if err := errors.Join(err, w.store.unshare(ctx, w.Info)); err != nil {
			return err
		}
	}
}

// open maps the storage and marks it dirty, durably, before anything can be
// stored. The lock is held, so what stat says now stays.
func (w *Writable) open(ctx context.Context, sel Selector, id catalog.ID) error {
	var err error
	if w.Info, err = w.store.stat(ctx, sel); err != nil {
		return err
	}
	st := w.Info.Storage
	if st.ID != id {
		return errMoved
	}
	if err := w.store.mustBeWritten(st); err != nil {
		return err
	}
	if err := w.Info.mustBeOpen(); err != nil {
		return err
	}
	if st.State == catalog.Patching || st.State == catalog.Quarantined || st.State == catalog.Dirty && !w.store.opts.AllowDirty {
		if err := w.store.settleLocked(ctx, st); err != nil {
			return err
		}
	}
	if w.file, err = w.store.fs.OpenFile(w.store.dataPath(st), os.O_RDWR, 0); err != nil {
		return w.store.movedOrMissing(ctx, st, err)
	}
	if w.storage, err = mmapstore.MapFile(fsx.OSFile(w.file), st.HeaderBytes, st.PayloadBytes, mmapstore.Shared); err != nil {
		return err
	}
	if w.Tensor, err = view.NewTensor(w.storage, w.Info.DType, w.Info.Layout); err != nil {
		return err
	}
	w.changed = []*Info{w.Info}
	if st.State == catalog.Dirty {
		w.before = st
	}
	return w.store.markStorage(ctx, st.ID, func(c *catalog.Tx, st catalog.Storage) error {
		if err := mustBeFreeToWrite(c, st, w.Info.Storage); err != nil {
			return err
		}
		st.State, st.Writer = catalog.Dirty, writerName()
		return errors.Join(c.PutStorage(st), touch(c, w.Info))
	})
}

// Flush makes what was stored so far durable. The storage stays marked dirty.
// The first failure is final: the store's handle stops writing.
func (w *Writable) Flush() error {
	if w.closed.Load() {
		return fmt.Errorf("flush %q: %w", w.Info.Record.Name, ErrClosed)
	}
	return w.flush()
}

func (w *Writable) flush() error {
	if err := w.store.syncMapped(w.storage); err != nil {
		return w.store.poison(fmt.Errorf("flush %q: %w", w.Info.Record.Name, err))
	}
	if err := w.store.syncFile(w.file); err != nil {
		return w.store.poison(fmt.Errorf("sync %q: %w", w.Info.Record.Name, err))
	}
	return nil
}

// Close flushes, takes the dirty mark off, unless an earlier writer had left it
// there (see Options.AllowDirty), counts the change in the version of
// every tensor that shares the bytes, and gives the right to write back. When the
// flush fails the storage is quarantined. It is idempotent.
func (w *Writable) Close() error {
	if w.closed.Swap(true) {
		return nil
	}
	err := w.flush()
	if err != nil {
		err = errors.Join(err, w.quarantine())
	} else {
		err = w.store.markStorage(context.Background(), w.Info.Storage.ID, func(c *catalog.Tx, st catalog.Storage) error {
			st.State, st.Writer, st.Boot = w.before.State, w.before.Writer, w.store.stamp()
			return putChanged(c, st, w.changed)
		})
	}
	return errors.Join(err, w.release())
}

// quarantine takes the storage out of use: what was stored may be lost or not,
// and a second try to flush it would not tell.
func (w *Writable) quarantine() error {
	return w.store.markStorage(context.Background(), w.Info.Storage.ID, func(c *catalog.Tx, st catalog.Storage) error {
		st.State = catalog.Quarantined
		return c.PutStorage(st)
	})
}

// abandon gives the right to write back and leaves the mark, for elements that
// may be half written. After Close it does nothing.
func (w *Writable) abandon() error {
	if w.closed.Swap(true) {
		return nil
	}
	return w.release()
}

func (w *Writable) release() error {
	return errors.Join(w.unmap(), w.lock.Unlock(), w.store.dropCatalog())
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

// markStorage changes the record of a storage in a transaction of its own.
func (s *Store) markStorage(ctx context.Context, id catalog.ID, change func(*catalog.Tx, catalog.Storage) error) error {
	err := s.commit(ctx, func(c *catalog.Tx) error {
		st, err := storageOf(c, id)
		if err != nil {
			return err
		}
		return change(c, st)
	})
	if errors.Is(err, ErrInDoubt) {
		s.poison(err)
	}
	return err
}

// writerName tells a person who writes a storage.
func writerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}
