package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// changedStorages are the storages in which a program changes elements.
type changedStorages struct {
	byID map[catalog.ID]*changedStorage
	// begun is true once elements may have been stored, done when all have.
	begun, done bool
}

// changedStorage is a storage in which a program changes elements: in the staged file of its next
// generation, or in place. All tensors that share it are read as they are changed.
type changedStorage struct {
	// seen are the tensors through which it is changed, as they were under the lock.
	seen    []*store.Info
	storage *mmapstore.Storage
	views   []*view.Tensor

	file     *engine.Staged  // the transaction's, as is the lock
	writable *store.Writable // in place
}

// begin locks and prepares the storages that statements change. It takes the locks in the order of
// their keys, so that two programs can't wait for each other in a ring.
func (cs *changedStorages) begin(ev *evaluation, tx *store.Tx, stmts []compute.Statement) error {
	cs.byID = map[catalog.ID]*changedStorage{}

	targets, err := ev.changedTargets(stmts)
	if err != nil {
		return err
	}

	for _, seen := range targets {
		c := cs.byID[seen.Storage.ID]
		if c == nil {
			if c, err = ev.changeStorage(tx, seen, stmts); err != nil {
				return fmt.Errorf("change %q: %w", seen.Record.Name, err)
			}
			cs.byID[seen.Storage.ID] = c
		}
		c.seen = append(c.seen, seen)
	}
	return nil
}

// changedTargets describes the tensors that statements change, in the order of their locks.
func (ev *evaluation) changedTargets(stmts []compute.Statement) ([]*store.Info, error) {
	var all []*store.Info
	named := map[string]bool{}

	for i, st := range stmts {
		if st.Target == "" || named[st.Target] || !changesElements(st) && !ev.writesInPlace(st.Target) {
			continue
		}

		// A target that an earlier statement makes is no tensor of the store yet.
		if madeBefore := slices.ContainsFunc(stmts[:i], func(b compute.Statement) bool { return b.Target == st.Target }); madeBefore && !ev.writesInPlace(st.Target) {
			continue
		}

		named[st.Target] = true
		info, err := ev.store.StatSelected(ev.ctx, store.Selector{Name: st.Target})
		if err != nil {
			return nil, err
		}
		if err := info.MustBeOpen(); err != nil {
			return nil, fmt.Errorf("change %q: %w", st.Target, err)
		}
		all = append(all, info)
	}

	slices.SortStableFunc(all, func(a, b *store.Info) int {
		return cmp.Compare(engine.StorageKey(a.Storage.ID), engine.StorageKey(b.Storage.ID))
	})
	return all, nil
}

// changeStorage opens the storage of a tensor for a program's changes.

func (ev *evaluation) changeStorage(tx *store.Tx, seen *store.Info, stmts []compute.Statement) (*changedStorage, error) {
	// In place: the writer is opened at once, and tells which parts it reads besides.
	if ev.opts.InPlace {
		if ev.store.Within != nil {
			return nil, engine.ErrWithin
		}
		parts := func(now *store.Info) (writes, reads []*store.Info, err error) {
			return ev.partsOf(now.Storage.ID, stmts)
		}
		w, err := ev.store.OpenWritableAs(ev.ctx, store.Selector{Name: seen.Record.Name}, store.WriteOptions{Parts: parts, Patient: true})
		if err != nil {
			return nil, err
		}
		return &changedStorage{writable: w, storage: w.Storage}, nil
	}

	// Otherwise the elements are changed in a copy, under the lock, and published at the end.
	if err := tx.LockStorage(ev.ctx, seen.Storage.ID, seen.Record.Name); err != nil {
		return nil, err
	}
	c := &changedStorage{}
	if err := c.open(ev, tx, seen); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// open copies the storage, whose lock is held, to its next generation.
func (c *changedStorage) open(ev *evaluation, tx *store.Tx, seen *store.Info) error {
	s := ev.store

	// Now that the storage is locked, what was seen before may be out of date: describe it again.
	now, err := s.StatLocked(ev.ctx, store.Selector{Name: seen.Record.Name}, seen.Storage.ID)
	if err != nil {
		return err
	}
	if err := now.MustBeOpen(); err != nil {
		return err
	}
	*seen = *now

	next, err := s.Engine.NextFile(now.Storage)
	if err != nil {
		return err
	}

	// The transaction has the file from here on, and discards it after an error.
	if c.file, err = s.Engine.Stage(next); err != nil {
		return err
	}
	tx.Files = append(tx.Files, c.file)
	if err := c.file.CloneFrom(ev.ctx, now.Storage); err != nil {
		return err
	}

	c.storage, err = c.file.Mapped()
	return err
}

// over returns the tensor that info describes, over the changed elements.
func (c *changedStorage) over(info *store.Info) (*view.Tensor, error) {
	t, err := view.NewTensor(c.storage, info.DType, info.Layout)
	if err == nil {
		c.views = append(c.views, t)
	}
	return t, err
}

// publish adds the next generations to the transaction.
func (cs *changedStorages) publish(tx *store.Tx) error {
	for _, c := range cs.byID {
		if c.writable != nil {
			continue
		}
		if err := tx.Base.Engine.SyncMapped(tx.Ctx, c.storage); err != nil {
			return err
		}
		err := tx.AtCommit("change", c.seen[0].Record.Name, func(ct *catalog.Tx) error {
			return store.NextGeneration(ct, c.seen[0].Storage, c.file.Storage, c.seen...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// endInPlace takes the dirty marks off what was written in place, unless it was left half written,
// or ctx ends before it is on the disk.
func (cs *changedStorages) endInPlace(ctx context.Context) error {
	var errs []error
	for _, c := range cs.byID {
		switch w := c.writable; {
		case w == nil:
		case cs.begun && !cs.done:
			errs = append(errs, fmt.Errorf("%q is left half written, and marked dirty", w.Info.Record.Name), w.Abandon())
		case cs.begun && w.WriteBack(ctx) != nil:
			errs = append(errs, ctx.Err(), fmt.Errorf("%q is written, but may not be on the disk, and stays marked dirty", w.Info.Record.Name), w.Abandon())
		default:
			errs = append(errs, w.Close())
		}
	}
	return errors.Join(errs...)
}

// close lets go of the mappings. Locks and files are the transaction's.
func (cs *changedStorages) close() error {
	var errs []error
	for _, c := range cs.byID {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

func (c *changedStorage) close() error {
	var errs []error
	for _, t := range c.views {
		errs = append(errs, t.Close())
	}
	if c.writable != nil {
		return errors.Join(append(errs, c.writable.Abandon())...)
	}
	if c.storage != nil {
		errs = append(errs, c.file.FreeLater(c.storage.Release))
	}
	return errors.Join(errs...)
}
