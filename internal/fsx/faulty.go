package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
)

// ErrStopped is the error of every operation after [Faulty.StopAt] has struck.
var ErrStopped = errors.New("the file system has stopped")

// errStoppedBefore is the form of ErrStopped that later operations get, which must not even be done
// in part.
var errStoppedBefore = fmt.Errorf("%w before", ErrStopped)

// OpKind names an operation.
type OpKind string

// The mutating operations, which are always counted, and below them the reading ones.
const (
	OpCreate         OpKind = "create" // OpenFile with O_CREATE or O_TRUNC
	OpRename         OpKind = "rename"
	OpRemove         OpKind = "remove"
	OpMkdir          OpKind = "mkdir"
	OpSyncDir        OpKind = "syncdir"
	OpWrite          OpKind = "write" // Write and WriteAt
	OpChmod          OpKind = "chmod"
	OpTruncate       OpKind = "truncate"
	OpSync           OpKind = "sync"
	OpFallocate      OpKind = "fallocate"
	OpStartWriteback OpKind = "start writeback"
	OpWaitWriteback  OpKind = "wait writeback"
	OpClone          OpKind = "clone"
	OpCopy           OpKind = "copy"
	OpClose          OpKind = "close" // of a file opened for writing

	OpOpen    OpKind = "open"
	OpStat    OpKind = "stat"
	OpReadDir OpKind = "readdir"
	OpRead    OpKind = "read" // Read and ReadAt
)

// Op is one operation as a [Faulty] saw it.
type Op struct {
	N    int // counts from 1
	Kind OpKind
	Path string // as the caller named it
	To   string // new name of a rename, source of a clone or copy
	Off  int64  // -1: at the file's position
	Len  int64  // bytes asked for; the size of a truncate
	Err  error  // injected; nil if the operation went to the file system
}

// String describes o for test logs.
func (o Op) String() string {
	return fmt.Sprintf("%d %s %q to %q [%d+%d] %v", o.N, o.Kind, o.Path, o.To, o.Off, o.Len, o.Err)
}

// Faulty is an FS that counts and records the operations on another one, fails those it is told to,
// and can stop for good as if the process had died. It doesn't see stores through mappings, nor
// other uses of a descriptor. A write that is made to fail has written the first half of its bytes;
// other failing operations do nothing.
//
// A failed Sync can succeed when it is tried again, as it does in the kernel; the log shows such
// retries.
//
// Its methods may be called at any time, and by any goroutine.
type Faulty struct {
	inner FS
	mu    struct {
		sync.Mutex
		countReads bool
		stopped    bool
		log        []Op
		fault      func(Op) error
	}
}

// NewFaulty returns a Faulty over inner that fails nothing yet and doesn't count reading
// operations.
func NewFaulty(inner FS) *Faulty { return &Faulty{inner: inner} }

// CountReads makes reading operations count and fail, too.
func (f *Faulty) CountReads() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.countReads = true
}

// FailIf calls fault before each counted operation, whose Err is still nil. If fault returns an
// error, the operation fails with it. It runs under a lock and must not use the Faulty. It replaces
// what FailIf, FailAt, FailFrom or StopAt were told before; nil fails nothing.
func (f *Faulty) FailIf(fault func(Op) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mu.fault = fault
}

// FailAt fails operation n, and no other, with err.
func (f *Faulty) FailAt(n int, err error) {
	f.FailIf(func(o Op) error {
		if o.N == n {
			return err
		}
		return nil
	})
}

// FailFrom fails operation n and all later ones with err.
func (f *Faulty) FailFrom(n int, err error) {
	f.FailIf(func(o Op) error {
		if o.N >= n {
			return err
		}
		return nil
	})
}

// StopAt fails operation n and every operation after it, the reading ones as well, with
// [ErrStopped]. Files can still be closed.
func (f *Faulty) StopAt(n int) { f.FailFrom(n, ErrStopped) }

// Ops returns how many operations were counted.
func (f *Faulty) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.mu.log)
}

// Log returns the counted operations in their order. The slice is the caller's.
func (f *Faulty) Log() []Op {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.mu.log)
}

// mutate counts a mutating operation and returns the error to inject.
func (f *Faulty) mutate(o Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.countLocked(o)
}

// read is mutate for a reading operation.
func (f *Faulty) read(o Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.stopped {
		return stoppedBefore(o)
	}
	if !f.mu.countReads {
		return nil
	}
	return f.countLocked(o)
}

func (f *Faulty) countLocked(o Op) error {
	if f.mu.stopped {
		return stoppedBefore(o)
	}
	o.N = len(f.mu.log) + 1
	if f.mu.fault != nil {
		o.Err = f.mu.fault(o)
	}
	f.mu.log = append(f.mu.log, o)
	if o.Err == nil {
		return nil
	}
	f.mu.stopped = errors.Is(o.Err, ErrStopped)
	return &fs.PathError{Op: string(o.Kind), Path: o.Path, Err: o.Err}
}

func stoppedBefore(o Op) error {
	return &fs.PathError{Op: string(o.Kind), Path: o.Path, Err: errStoppedBefore}
}

// OpenFile implements FS.
func (f *Faulty) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	o := Op{Kind: OpOpen, Path: name}
	check := f.read
	if flag&(os.O_CREATE|os.O_TRUNC) != 0 {
		o.Kind, check = OpCreate, f.mutate
	}
	if err := check(o); err != nil {
		return nil, err
	}
	inner, err := f.inner.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultyFile{fsys: f, inner: inner, readOnly: flag&(os.O_WRONLY|os.O_RDWR) == 0}, nil
}

// Rename implements FS.
func (f *Faulty) Rename(oldName, newName string) error {
	if err := f.mutate(Op{Kind: OpRename, Path: oldName, To: newName}); err != nil {
		return err
	}
	return f.inner.Rename(oldName, newName)
}

// Remove implements FS.
func (f *Faulty) Remove(name string) error {
	if err := f.mutate(Op{Kind: OpRemove, Path: name}); err != nil {
		return err
	}
	return f.inner.Remove(name)
}

// Mkdir implements FS.
func (f *Faulty) Mkdir(name string, perm fs.FileMode) error {
	if err := f.mutate(Op{Kind: OpMkdir, Path: name}); err != nil {
		return err
	}
	return f.inner.Mkdir(name, perm)
}

// SyncDir implements FS.
func (f *Faulty) SyncDir(name string) error {
	if err := f.mutate(Op{Kind: OpSyncDir, Path: name}); err != nil {
		return err
	}
	return f.inner.SyncDir(name)
}

// Stat implements FS.
func (f *Faulty) Stat(name string) (fs.FileInfo, error) {
	if err := f.read(Op{Kind: OpStat, Path: name}); err != nil {
		return nil, err
	}
	return f.inner.Stat(name)
}

// ReadDir implements FS.
func (f *Faulty) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.read(Op{Kind: OpReadDir, Path: name}); err != nil {
		return nil, err
	}
	return f.inner.ReadDir(name)
}
