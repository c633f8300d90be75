package engine

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
	GcLock          = 2
	RestoreLock     = 3
	FirstStorageKey = 1 << 40
)

// LockPath returns the file whose bytes are the locks of the store.
func (s *Store) LockPath() string { return s.Path(storefile.LockFile) }

// StorageKey returns the lock byte of one storage, and of its file in tmp/.
func StorageKey(id catalog.ID) int64 {
	var n int64
	for _, b := range id[:5] {
		n = n<<8 | int64(b)
	}
	return FirstStorageKey + n
}

// Patience returns how long a wait for a lock lasts.
func (o Options) Patience() time.Duration {
	if o.LockTimeout == 0 {
		return catalog.DefaultLockTimeout
	}
	return o.LockTimeout
}

// LockByte waits for a byte of a lock file until ctx ends, and returns ErrLockTimeout when the
// patience is over. Errors call the lock what.
func LockByte(ctx context.Context, path string, off int64, mode filelock.Mode, patience time.Duration, what string) (*filelock.Held, error) {
	return LockByteSince(ctx, path, off, mode, time.Now(), patience, what)
}

// LockByteSince is LockByte for a caller that has waited since began.
func LockByteSince(ctx context.Context, path string, off int64, mode filelock.Mode, began time.Time, patience time.Duration, what string) (*filelock.Held, error) {
	waiting, cancel := context.WithDeadline(ctx, began.Add(patience))
	defer cancel()
	l, err := filelock.Lock(waiting, path, off, mode)
	switch {
	case err == nil:
		return l, nil
	case ctx.Err() == nil && waiting.Err() != nil:
		return nil, WaitedTooLong(path, off, began, what)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("take %s: %w: %q: move it back, or open it where it is now", what, catalog.ErrGone, filepath.Dir(path))
	}
	return nil, fmt.Errorf("take %s: %w", what, err)
}

// WaitedTooLong returns an ErrLockTimeout for a caller that has waited since began. It names the
// holder of the lock.
func WaitedTooLong(path string, off int64, began time.Time, what string) error {
	return fmt.Errorf("%w: waited %v for %s, which %s holds: try again, or allow more time",
		catalog.ErrLockTimeout, time.Since(began).Round(time.Millisecond), what, LockHolder(path, off))
}

// LockHolder describes the holder of a byte of the lock file.
func LockHolder(path string, off int64) string {
	if holder := filelock.Holder(path, off); holder != "" {
		return holder
	}
	return "another program"
}

// LockGC keeps gc off, in shared mode, or everyone else.
func (s *Store) LockGC(ctx context.Context, mode filelock.Mode) (*filelock.Held, error) {
	return LockGC(ctx, s.Dir, mode, s.Options.Patience())
}

// LockGC is Store.LockGC of the store, or the folder for one, in dir.
func LockGC(ctx context.Context, dir string, mode filelock.Mode, patience time.Duration) (*filelock.Held, error) {
	what := "the lock that keeps gc off"
	if mode == filelock.Exclusive {
		what = "the lock that keeps writers off"
	}
	return LockByte(ctx, filepath.Join(dir, storefile.LockFile), GcLock, mode, patience, what)
}

// LockStorage waits for the right to write one storage's file. name is a tensor that lies in it, if
// one is known.
func (s *Store) LockStorage(ctx context.Context, id catalog.ID, name string) (*filelock.Held, error) {
	return s.LockStorageAs(ctx, id, name, filelock.Exclusive)
}

// LockStorageAs is LockStorage for all of the file, or in shared mode for parts of it that are
// written in place.
func (s *Store) LockStorageAs(ctx context.Context, id catalog.ID, name string, mode filelock.Mode) (*filelock.Held, error) {
	return LockByte(ctx, s.LockPath(), StorageKey(id), mode, s.Options.Patience(), WriteLockOf(id, name))
}

// WriteLockOf returns what errors call the lock of a storage, of which name is a tensor or empty.
func WriteLockOf(id catalog.ID, name string) string {
	if name == "" {
		return fmt.Sprintf("the write lock of storage %v", id)
	}
	return fmt.Sprintf("the write lock of %q", name)
}

// busyAfter is how long a storage has to be locked to count as being written. A writer that
// prepares to write a part has the lock for a moment only.
const busyAfter = 50 * time.Millisecond

// LockStorageSoon returns ErrBusy if another writer has the storage.
func (s *Store) LockStorageSoon(ctx context.Context, id catalog.ID, name string) (*filelock.Held, error) {
	return s.LockStorageSoonAs(ctx, id, name, filelock.Exclusive)
}

// LockStorageSoonAs is LockStorageSoon for all of the file, or in shared mode for parts of it.
func (s *Store) LockStorageSoonAs(ctx context.Context, id catalog.ID, name string, mode filelock.Mode) (*filelock.Held, error) {
	soon, cancel := context.WithTimeout(ctx, busyAfter)
	defer cancel()
	lock, err := filelock.Lock(soon, s.LockPath(), StorageKey(id), mode)
	if err != nil && soon.Err() != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w: %s holds %s", ErrBusy, LockHolder(s.LockPath(), StorageKey(id)), WriteLockOf(id, name))
	}
	return lock, err
}

// StorageBusy reports whether a live writer holds the storage, or parts of it.
func (s *Store) StorageBusy(id catalog.ID) (bool, error) {
	return filelock.Taken(s.LockPath(), StorageKey(id), filelock.Exclusive)
}

// StorageStaysBusy reports whether live writers hold the storage, or parts of it, for longer than a
// moment. Who has given up waiting for a lock may still get it, and lets it go at once.
func (s *Store) StorageStaysBusy(ctx context.Context, id catalog.ID) (bool, error) {
	for until := time.Now().Add(busyAfter); ; {
		busy, err := s.StorageBusy(id)
		if !busy || err != nil || time.Now().After(until) {
			return busy, err
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}
