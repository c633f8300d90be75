package tstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/storefile"
)

// Byte ranges of the lock file; bytes 0 and 1 are the catalog's.
const (
	gcLock          = 2
	restoreLock     = 3
	firstStorageKey = 1 << 40
)

func (s *engineStore) lockPath() string { return s.path(storefile.LockFile) }

// storageKey is the lock byte of one storage, and of its file in tmp/.
func storageKey(id catalog.ID) int64 {
	var n int64
	for _, b := range id[:5] {
		n = n<<8 | int64(b)
	}
	return firstStorageKey + n
}

// patience is how long a wait for a lock lasts.
func (o engineOptions) patience() time.Duration {
	if o.LockTimeout == 0 {
		return catalog.DefaultLockTimeout
	}
	return o.LockTimeout
}

// lockByte waits for a byte of a lock file until ctx ends, or with
// ErrLockTimeout as long as patience lasts. what says in errors which lock it
// is.
func lockByte(ctx context.Context, path string, off int64, mode filelock.Mode, patience time.Duration, what string) (*filelock.Held, error) {
	return lockByteSince(ctx, path, off, mode, time.Now(), patience, what)
}

// lockByteSince is lockByte for who has been waiting since began.
func lockByteSince(ctx context.Context, path string, off int64, mode filelock.Mode, began time.Time, patience time.Duration, what string) (*filelock.Held, error) {
	waiting, cancel := context.WithDeadline(ctx, began.Add(patience))
	defer cancel()
	l, err := filelock.Lock(waiting, path, off, mode)
	switch {
	case err == nil:
		return l, nil
	case ctx.Err() == nil && waiting.Err() != nil:
		return nil, waitedTooLong(path, off, began, what)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("take %s: %w: %q: move it back, or open it where it is now", what, catalog.ErrGone, filepath.Dir(path))
	}
	return nil, fmt.Errorf("take %s: %w", what, err)
}

func waitedTooLong(path string, off int64, began time.Time, what string) error {
	return fmt.Errorf("%w: waited %v for %s, which %s holds: try again, or allow more time",
		catalog.ErrLockTimeout, time.Since(began).Round(time.Millisecond), what, lockHolder(path, off))
}

// lockHolder says who holds a byte of the lock file.
func lockHolder(path string, off int64) string {
	if holder := filelock.Holder(path, off); holder != "" {
		return holder
	}
	return "another program"
}

// lockGC keeps gc off, in shared mode, or everyone else.
func (s *engineStore) lockGC(ctx context.Context, mode filelock.Mode) (*filelock.Held, error) {
	return lockGC(ctx, s.dir, mode, s.opts.patience())
}

func lockGC(ctx context.Context, dir string, mode filelock.Mode, patience time.Duration) (*filelock.Held, error) {
	what := "the lock that keeps gc off"
	if mode == filelock.Exclusive {
		what = "the lock that keeps writers off"
	}
	return lockByte(ctx, filepath.Join(dir, storefile.LockFile), gcLock, mode, patience, what)
}

// lockStorage waits for the right to write one storage's file. name is a tensor
// that lies in it, if one is known.
func (s *engineStore) lockStorage(ctx context.Context, id catalog.ID, name string) (*filelock.Held, error) {
	return s.lockStorageAs(ctx, id, name, filelock.Exclusive)
}

// lockStorageAs is lockStorage for all of the file, or in shared mode for parts
// of it that are written in place.
func (s *engineStore) lockStorageAs(ctx context.Context, id catalog.ID, name string, mode filelock.Mode) (*filelock.Held, error) {
	return lockByte(ctx, s.lockPath(), storageKey(id), mode, s.opts.patience(), writeLockOf(id, name))
}

func writeLockOf(id catalog.ID, name string) string {
	if name == "" {
		return fmt.Sprintf("the write lock of storage %v", id)
	}
	return fmt.Sprintf("the write lock of %q", name)
}

// busyAfter is how long a storage has to be locked to count as being written:
// who is about to write part of it has the lock for a moment to look at it.
const busyAfter = 50 * time.Millisecond

// lockStorageSoon returns ErrBusy if another writer has the storage.
func (s *engineStore) lockStorageSoon(ctx context.Context, id catalog.ID, name string) (*filelock.Held, error) {
	return s.lockStorageSoonAs(ctx, id, name, filelock.Exclusive)
}

func (s *engineStore) lockStorageSoonAs(ctx context.Context, id catalog.ID, name string, mode filelock.Mode) (*filelock.Held, error) {
	soon, cancel := context.WithTimeout(ctx, busyAfter)
	defer cancel()
	lock, err := filelock.Lock(soon, s.lockPath(), storageKey(id), mode)
	if err != nil && soon.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w: %s holds %s", errBusy, lockHolder(s.lockPath(), storageKey(id)), writeLockOf(id, name))
	}
	return lock, err
}

// storageBusy reports whether a live writer holds the storage, or parts of it.
func (s *engineStore) storageBusy(id catalog.ID) (bool, error) {
	return filelock.Taken(s.lockPath(), storageKey(id), filelock.Exclusive)
}
