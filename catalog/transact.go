package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tstore/tstore/internal/filelock"
)

// View runs fn in a read-only transaction. It waits for writers, at most Options.LockTimeout
// (ErrLockTimeout) and not beyond the end of ctx; ctx also ends long iterations. fn must be short:
// see Tx. An error of fn is returned as it is.
func (c *Catalog) View(ctx context.Context, fn func(*Tx) error) error {
	return c.view(ctx, func(_ *handle, tx *Tx) error { return fn(tx) })
}

func (c *Catalog) view(ctx context.Context, fn func(*handle, *Tx) error) error {
	return c.transact(ctx, filelock.Shared, func(h *handle, tx *Tx) error {
		return h.run(tx, func(tx *Tx) error { return fn(h, tx) })
	})
}

// Update runs fn in a transaction that may change the catalog, alone among all processes, and
// commits it when fn returns nil. When fn fails, or ctx has ended by then, nothing is changed. When
// the commit itself fails, the error is a *InDoubtError, and the handle refuses further updates
// with ErrPoisoned. fn must be short: see Tx.
func (c *Catalog) Update(ctx context.Context, fn func(*Tx) error) error {
	if c.opts.ReadOnly {
		return fmt.Errorf("%q: %w", c.db, ErrReadOnly)
	}
	return c.transact(ctx, filelock.Exclusive, func(h *handle, tx *Tx) error {
		if doubt := c.poisoned.Load(); doubt != nil {
			return fmt.Errorf("%w: %w; open the store again", ErrPoisoned, doubt.Err)
		}
		if err := h.run(tx, announced(ctx, h.commit.Meta().TxID+1, fn)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return c.commit(h, tx)
	})
}

// committing is the key of what WithCommitting puts into a context.
type committing struct{}

// WithCommitting returns a context whose Updates call fn when they are about to commit changes,
// with the number that TxID returns after that. The commit may still fail. No transaction of any
// process runs meanwhile, so the calls are in the order of the commits. fn must only read.
func WithCommitting(ctx context.Context, fn func(tx *Tx, number uint64)) context.Context {
	return context.WithValue(ctx, committing{}, fn)
}

// announced is fn with a call of what WithCommitting has put into ctx, if there is anything to
// commit.
func announced(ctx context.Context, number uint64, fn func(*Tx) error) func(*Tx) error {
	tell, ok := ctx.Value(committing{}).(func(*Tx, uint64))
	if !ok {
		return fn
	}
	return func(tx *Tx) error {
		err := fn(tx)
		if err == nil && len(tx.changed()) > 0 {
			tell(tx, number)
		}
		return err
	}
}

// Rehearse runs fn as Update does, beside others that read, and changes nothing: what fn returns is
// what Update would say of it up to its commit. It works on a read-only catalog, too.
func (c *Catalog) Rehearse(ctx context.Context, fn func(*Tx) error) error {
	return c.transact(ctx, filelock.Shared, func(h *handle, _ *Tx) error {
		tx, err := h.begin(ctx, true)
		if err != nil {
			return err
		}
		return h.run(tx, fn)
	})
}

// orGone tells the error of a folder that has lost its catalog from others.
func (c *Catalog) orGone(err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, gone := os.Stat(c.db); !errors.Is(gone, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("%w: %q: move it back, or open it where it is now (%w)", ErrGone, c.dir, err)
}

// transact opens the database under the catalog's lock, and closes it again.
func (c *Catalog) transact(ctx context.Context, mode filelock.Mode, body func(*handle, *Tx) error) (err error) {
	defer func() { err = c.orGone(err) }()
	c.transactions.RLock()
	defer c.transactions.RUnlock()
	if c.closed.Load() {
		return fmt.Errorf("%q: %w", c.db, ErrClosed)
	}

	unlock, locked, err := c.lock(ctx, mode)
	if err != nil {
		return err
	}
	defer unlock()

	writable := mode == filelock.Exclusive
	h, err := c.openHandle(writable, locked)
	if err != nil {
		return err
	}

	defer func() {
		// A commit stands whatever becomes of the descriptor: saying that it failed would be wrong.
		if failed := h.close(); failed != nil && err != nil {
			err = errors.Join(err, failed)
		}
	}()

	tx, err := h.begin(ctx, writable)
	if err != nil {
		return err
	}

	return body(h, tx)
}
