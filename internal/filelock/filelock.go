package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// ErrHeld reports a byte that another lock holds in a mode that excludes the wanted one. TryLock
// returns it at once, Lock together with the error of the context that ended its wait.
var ErrHeld = errors.New("held by another lock")

// ErrUnsupported reports a system or a file system without open file description locks.
var ErrUnsupported = errors.New("byte locks are not supported here (they need Linux, macOS or Windows, and a local file system)")

// errKind reports a lock file that is not a regular file. A link could lead to another file each
// time, and opening a pipe would wait.
var errKind = errors.New("it is a symbolic link, or no regular file: put a regular file in its place while nobody uses the store")

// Mode says whom a lock excludes.
type Mode uint8

const (
	Shared    Mode = iota // excludes Exclusive locks only
	Exclusive             // excludes every other lock on the byte
)

// String returns "shared" or "exclusive".
func (m Mode) String() string {
	switch m {
	case Shared:
		return "shared"
	case Exclusive:
		return "exclusive"
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

// Held is one locked byte. It belongs to no goroutine: any may unlock it, once or at the same time.
// A Held that is dropped without Unlock keeps its byte until the process ends. The zero value holds
// nothing.
type Held struct {
	fdPlus1 atomic.Int64 // a descriptor or handle, 0 once unlocked
	off     int64
}

// TryLock takes the byte at off of the file at path if nothing excludes it now, and fails with
// [ErrHeld] otherwise.
func TryLock(path string, off int64, mode Mode) (*Held, error) {
	fd, err := open(path, off, mode)
	if err != nil {
		return nil, err
	}
	if err := setLock(fd, off, mode); err != nil {
		closeFile(fd)
		return nil, failure(path, off, mode, err)
	}
	return newHeld(fd, off), nil
}

// TryFile takes the byte at off of an open file, by whatever name it is known, as TryLock does. The
// lock is f's, and ends when f is closed.
func TryFile(f *os.File, off int64, mode Mode) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return failure(f.Name(), off, mode, err)
	}
	if control := conn.Control(func(fd uintptr) { err = setLock(int(fd), off, mode) }); control != nil {
		err = control
	}
	if err != nil {
		return failure(f.Name(), off, mode, err)
	}
	return nil
}

// Lock takes the byte at off of the file at path, and waits for it as long as ctx allows; see the
// package comment on waiting. When ctx ends first, the error matches both [ErrHeld] and the cause
// of ctx's end.
func Lock(ctx context.Context, path string, off int64, mode Mode) (*Held, error) {
	if ctx.Err() != nil {
		return nil, failure(path, off, mode, context.Cause(ctx))
	}

	fd, err := open(path, off, mode)
	if err != nil {
		return nil, err
	}

	// Try without waiting first: a free lock needs no goroutine.
	if err := setLock(fd, off, mode); err == nil {
		return newHeld(fd, off), nil
	} else if !errors.Is(err, ErrHeld) {
		closeFile(fd)
		return nil, failure(path, off, mode, err)
	}

	if err := wait(ctx, fd, off, mode); err != nil {
		return nil, failure(path, off, mode, err)
	}
	return newHeld(fd, off), nil
}

// Unlock lets go of the byte. Only the first call does anything; later ones return nil. The byte is
// free even when Unlock returns an error.
func (l *Held) Unlock() error {
	fdPlus1 := l.fdPlus1.Swap(0)
	if fdPlus1 == 0 {
		return nil
	}
	return release(int(fdPlus1-1), l.off)
}

// IsOn reports whether path names the file that the lock is on. A waiter may get its byte after the
// file was removed; others then find the byte free in a new file of that name.
func (l *Held) IsOn(path string) (bool, error) {
	fdPlus1 := l.fdPlus1.Load()
	if fdPlus1 == 0 {
		return false, nil
	}
	return isNamed(int(fdPlus1-1), path)
}

func open(path string, off int64, mode Mode) (int, error) {
	if off < 0 || mode > Exclusive {
		return -1, failure(path, off, mode, errors.New("want an offset of 0 or more, and Shared or Exclusive"))
	}
	fd, err := openFile(path, mode)
	if err != nil {
		return -1, failure(path, off, mode, err)
	}
	return fd, nil
}

func newHeld(fd int, off int64) *Held {
	l := &Held{off: off}
	l.fdPlus1.Store(int64(fd) + 1)
	return l
}

func failure(path string, off int64, mode Mode, err error) error {
	return fmt.Errorf("lock byte %d of %q (%v): %w", off, path, mode, err)
}
