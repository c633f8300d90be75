package fsx

import (
	"errors"
	"io/fs"
)

// faultyFile is an open file of a Faulty.
type faultyFile struct {
	fsys     *Faulty
	inner    File
	readOnly bool
}

func (f *faultyFile) mutate(kind OpKind, off, n int64) error {
	return f.fsys.mutate(Op{Kind: kind, Path: f.Name(), Off: off, Len: n})
}

func (f *faultyFile) read(kind OpKind, off, n int64) error {
	return f.fsys.read(Op{Kind: kind, Path: f.Name(), Off: off, Len: n})
}

func (f *faultyFile) Name() string { return f.inner.Name() }
func (f *faultyFile) Fd() uintptr  { return f.inner.Fd() }

func (f *faultyFile) Seek(off int64, whence int) (int64, error) { return f.inner.Seek(off, whence) }
func (f *faultyFile) DropCache(off, n int64)                    { f.inner.DropCache(off, n) }

func (f *faultyFile) Read(p []byte) (int, error) {
	if err := f.read(OpRead, -1, int64(len(p))); err != nil {
		return 0, err
	}
	return f.inner.Read(p)
}

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.read(OpRead, off, int64(len(p))); err != nil {
		return 0, err
	}
	return f.inner.ReadAt(p, off)
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.mutate(OpWrite, -1, int64(len(p))); err != nil {
		return f.torn(err, func() (int, error) { return f.inner.Write(p[:len(p)/2]) })
	}
	return f.inner.Write(p)
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.mutate(OpWrite, off, int64(len(p))); err != nil {
		return f.torn(err, func() (int, error) { return f.inner.WriteAt(p[:len(p)/2], off) })
	}
	return f.inner.WriteAt(p, off)
}

// torn lets the half of a failing write through, unless the file system had stopped before it.
func (f *faultyFile) torn(injected error, writeHalf func() (int, error)) (int, error) {
	if errors.Is(injected, errStoppedBefore) {
		return 0, injected
	}
	n, err := writeHalf()
	return n, errors.Join(injected, err)
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	if err := f.read(OpStat, 0, 0); err != nil {
		return nil, err
	}
	return f.inner.Stat()
}

func (f *faultyFile) Chmod(mode fs.FileMode) error {
	if err := f.mutate(OpChmod, 0, 0); err != nil {
		return err
	}
	return f.inner.Chmod(mode)
}

func (f *faultyFile) Truncate(size int64) error {
	if err := f.mutate(OpTruncate, 0, size); err != nil {
		return err
	}
	return f.inner.Truncate(size)
}

func (f *faultyFile) Sync() error {
	if err := f.mutate(OpSync, 0, 0); err != nil {
		return err
	}
	return f.inner.Sync()
}

func (f *faultyFile) Fallocate(off, n int64) error {
	if err := f.mutate(OpFallocate, off, n); err != nil {
		return err
	}
	return f.inner.Fallocate(off, n)
}

func (f *faultyFile) StartWriteback(off, n int64) error {
	if err := f.mutate(OpStartWriteback, off, n); err != nil {
		return err
	}
	return f.inner.StartWriteback(off, n)
}

func (f *faultyFile) WaitWriteback(off, n int64) error {
	if err := f.mutate(OpWaitWriteback, off, n); err != nil {
		return err
	}
	return f.inner.WaitWriteback(off, n)
}

func (f *faultyFile) CloneFrom(src File) error {
	if err := f.fsys.mutate(Op{Kind: OpClone, Path: f.Name(), To: src.Name()}); err != nil {
		return err
	}
	return f.inner.CloneFrom(src)
}

func (f *faultyFile) CopyFrom(off int64, src File, srcOff, n int64) (int64, error) {
	if err := f.fsys.mutate(Op{Kind: OpCopy, Path: f.Name(), To: src.Name(), Off: off, Len: n}); err != nil {
		return 0, err
	}
	return f.inner.CopyFrom(off, src, srcOff, n)
}

// Close always closes the file below, so that a stopped file system leaks no descriptors.
func (f *faultyFile) Close() error {
	check := f.fsys.mutate
	if f.readOnly {
		check = f.fsys.read
	}
	return errors.Join(check(Op{Kind: OpClose, Path: f.Name()}), f.inner.Close())
}
