package tstore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
)

// Byte ranges of the lock file; bytes 0 and 1 are the catalog's.
const (
	gcLock          = 2
	firstStorageKey = 1 << 40
)

func (s *Store) lockPath() string { return s.path(lockFile) }

// storageKey is the lock byte of one storage, and of its file in tmp/.
func storageKey(id catalog.ID) int64 {
	var n int64
	for _, b := range id[:5] {
		n = n<<8 | int64(b)
	}
	return firstStorageKey + n
}

// patience is how long a wait for a lock lasts.
func (o Options) patience() time.Duration {
	if o.LockTimeout == 0 {
		return catalog.DefaultLockTimeout
	}
	return o.LockTimeout
}

// lockByte waits for a byte of a lock file until ctx ends, or with
// ErrLockTimeout as long as patience lasts. what says in errors which lock it
// is.
func lockByte(ctx context.Context, path string, off int64, mode filelock.Mode, patience time.Duration, what string) (*filelock.Held, error) {
	began := time.Now()
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	l, err := filelock.Lock(waiting, path, off, mode)
	switch {
	case err == nil:
		return l, nil
	case ctx.Err() == nil && waiting.Err() != nil:
		return nil, waitedTooLong(path, off, began, what)
	}
	return nil, fmt.Errorf("take %s: %w", what, err)
}

func waitedTooLong(path string, off int64, began time.Time, what string) error {
	return fmt.Errorf("%w: waited %v for %s, which %s holds: try again, or allow more time",
		ErrLockTimeout, time.Since(began).Round(time.Millisecond), what, lockHolder(path, off))
}

// lockHolder says who holds a byte of the lock file.
func lockHolder(path string, off int64) string {
	if holder := filelock.Holder(path, off); holder != "" {
		return holder
	}
	return "another program"
}

// lockGC keeps gc off, in shared mode, or everyone else.
func (s *Store) lockGC(ctx context.Context, mode filelock.Mode) (*filelock.Held, error) {
	return lockGC(ctx, s.dir, mode, s.opts.patience())
}

func lockGC(ctx context.Context, dir string, mode filelock.Mode, patience time.Duration) (*filelock.Held, error) {
	what := "the lock that keeps gc off"
	if mode == filelock.Exclusive {
		what = "the lock that keeps writers off"
	}
	return lockByte(ctx, filepath.Join(dir, lockFile), gcLock, mode, patience, what)
}

// lockStorage waits for the right to write one storage's file. name is a tensor
// that lies in it, if one is known.
func (s *Store) lockStorage(ctx context.Context, id catalog.ID, name string) (*filelock.Held, error) {
	return lockByte(ctx, s.lockPath(), storageKey(id), filelock.Exclusive, s.opts.patience(), writeLockOf(id, name))
}

func writeLockOf(id catalog.ID, name string) string {
	if name == "" {
		return fmt.Sprintf("the write lock of storage %v", id)
	}
	return fmt.Sprintf("the write lock of %q", name)
}

// busyAfter is how long a storage has to be locked to count as being written:
// some look at the lock for microseconds.
const busyAfter = 50 * time.Millisecond

// lockStorageSoon is ErrBusy when another writer has the storage.
func (s *Store) lockStorageSoon(ctx context.Context, id catalog.ID, name string) (*filelock.Held, error) {
	soon, cancel := context.WithTimeout(ctx, busyAfter)
	defer cancel()
	lock, err := filelock.Lock(soon, s.lockPath(), storageKey(id), filelock.Exclusive)
	if err != nil && soon.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w: %s holds %s", ErrBusy, lockHolder(s.lockPath(), storageKey(id)), writeLockOf(id, name))
	}
	return lock, err
}

// storageBusy reports whether a live writer holds the storage.
func (s *Store) storageBusy(id catalog.ID) (bool, error) {
	l, err := filelock.TryLock(s.lockPath(), storageKey(id), filelock.Shared)
	if errors.Is(err, filelock.ErrHeld) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, l.Unlock()
}
