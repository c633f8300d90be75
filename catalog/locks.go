package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/tstore/tstore/internal/filelock"
)

// The bytes of the lock file that guard the catalog. Everyone takes the turnstile first, and gives
// it back as soon as the catalog's byte is theirs: whoever waits longest is next, and readers
// cannot starve a writer.
const (
	catalogByte   = 0
	turnstileByte = 1
)

// ensureLockFile makes the permanent lock file. It is never removed: two owners would be the
// result.
func (c *Catalog) ensureLockFile() error {
	f, err := openFile(c.lockPath(), os.O_RDWR|os.O_CREATE, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no folder %q", ErrNotCatalog, c.dir)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// lock takes the catalog's lock and returns the function that releases it. held is false if byte
// locks do not exist, or cannot be taken as the store is on read-only media. Then only bbolt's lock
// on the file keeps others out.
func (c *Catalog) lock(ctx context.Context, mode filelock.Mode) (unlock func(), held bool, err error) {
	began := time.Now()
	waiting, cancel := context.WithTimeout(ctx, c.opts.LockTimeout)
	defer cancel()

	// Everyone passes the turnstile first. A writer that waits holds it, so readers that come later
	// wait behind the writer and cannot starve it.
	turnstile, err := filelock.Lock(waiting, c.lockPath(), turnstileByte, filelock.Exclusive)
	if err != nil {
		if mode == filelock.Shared && unlockable(err) || errors.Is(err, filelock.ErrUnsupported) {
			return func() {}, false, nil
		}
		return nil, false, c.lockError(ctx, waiting, began, err)
	}

	// Leave the turnstile as soon as the lock is held or refused.
	l, err := filelock.Lock(waiting, c.lockPath(), catalogByte, mode)
	if failed := errors.Join(err, turnstile.Unlock()); failed != nil {
		if err == nil {
			_ = l.Unlock() // the descriptor is gone either way; the turnstile's error is the one to tell
		}
		return nil, false, c.lockError(ctx, waiting, began, failed)
	}

	return func() {
		_ = l.Unlock() // fails only if the descriptor is invalid, and frees the byte even then
	}, true, nil
}

// unlockable says that the lock file cannot be opened for writing: read-only media or somebody
// else's store.
func unlockable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrNotExist)
}

// lockError distinguishes the end of the caller's context from the end of LockTimeout.
func (c *Catalog) lockError(ctx, waiting context.Context, began time.Time, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("waiting for %q: %w", c.lockPath(), context.Cause(ctx))
	}
	if waiting.Err() != nil {
		waited := time.Since(began)
		holder := filelock.Holder(c.lockPath(), catalogByte)
		if holder == "" {
			holder = filelock.Holder(c.lockPath(), turnstileByte)
		}
		return lockTimeout(c.lockPath(), waited, holder)
	}
	return err
}

// lockTimeout returns the error for a lock that was not free in time. holder describes its holder,
// and is "" if unknown.
func lockTimeout(path string, waited time.Duration, holder string) error {
	if holder == "" {
		holder = "another program"
	}
	return fmt.Errorf("%w: waited %s for the catalog's lock, in %q, which %s holds; try again, or allow more time",
		ErrLockTimeout, waited.Round(time.Millisecond), path, holder)
}
