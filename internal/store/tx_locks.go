package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
)

// LockStorage takes the write lock of a storage that a step of the transaction changes, until the
// transaction ends. It waits for others only if no lock that it has comes later in the order of
// locks: two transactions that wait for each other would wait for ever.
func (tx *Tx) LockStorage(ctx context.Context, id catalog.ID, name string) error {
	if by, ok := tx.changing[id]; ok {
		return fmt.Errorf("%q shares its elements with %q, which an earlier step of this transaction changes: change both in one eval", name, by)
	}

	key := engine.StorageKey(id)
	if tx.locks == nil {
		tx.locks, tx.changing = map[int64]*filelock.Held{}, map[catalog.ID]string{}
	}

	if tx.locks[key] == nil { // storages that one job has made share their byte
		lock, err := tx.takeLock(ctx, id, name)
		if err != nil {
			return err
		}
		tx.locks[key] = lock
	}

	tx.changing[id] = name
	return nil
}

func (tx *Tx) takeLock(ctx context.Context, id catalog.ID, name string) (*filelock.Held, error) {
	s, key := tx.Base, engine.StorageKey(id)
	waits := true
	for held := range tx.locks {
		waits = waits && held < key
	}
	if waits {
		return s.Engine.LockStorage(ctx, id, name)
	}
	lock, err := filelock.TryLock(s.Engine.LockPath(), key, filelock.Exclusive)
	if errors.Is(err, filelock.ErrHeld) {
		err = fmt.Errorf("%w: %s holds %s, for which a transaction that has changed another tensor does not wait: repeat the transaction, or change both in one eval",
			ErrBusy, engine.LockHolder(s.Engine.LockPath(), key), engine.WriteLockOf(id, name))
	}
	return lock, err
}

// unlock gives back the locks.
func (tx *Tx) unlock() {
	for key, lock := range tx.locks {
		_ = lock.Unlock() // the byte is free whatever it returns
		delete(tx.locks, key)
	}
}
