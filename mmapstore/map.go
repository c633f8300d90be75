package mmapstore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/tstore/tstore/internal/fsx"
)

// Mode says what a mapped file may be used for.
type Mode uint8

const (
	ReadOnly Mode = iota // stores fault and WriteAt refuses
	Shared               // stores reach the file, which is opened for writing
	Private              // stores stay in this storage's memory (copy-on-write); the file is only read
	Create               // Shared on a new file; it is an error when the file exists
)

var modeNames = [...]string{ReadOnly: "read-only", Shared: "shared", Private: "private", Create: "create"}

// String is "read-only", "shared", "private" or "create".
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("Mode(%d)", uint8(m))
}

func (m Mode) valid() bool    { return int(m) < len(modeNames) }
func (m Mode) writable() bool { return m != ReadOnly }

// toFile reports whether stores reach the file.
func (m Mode) toFile() bool { return m == Shared || m == Create }

func (m Mode) openFlags() int {
	switch m {
	case Shared:
		return os.O_RDWR
	case Create:
		return os.O_RDWR | os.O_CREATE | os.O_EXCL
	}
	return os.O_RDONLY
}

// MapOptions change how Map works. The zero value is the default.
type MapOptions struct {
	// Sparse leaves the disk space of a created file, and of growth, to be found when bytes are
	// first stored: a full disk is then a *FaultError in the middle of the work. By default all
	// space is reserved at once, and a full disk is an error of Map or Grow.
	Sparse bool

	// Copy reads the bytes to the heap instead of mapping them, for file systems that can't map or
	// stall on faults. Changed pages of Shared and Create storages are written back by Flush and
	// the last Release. Stores of others to the file are not seen.
	Copy bool

	// Detach closes the file when it has been mapped, or copied: the storage takes no descriptor
	// then, and keeps the bytes as ever. What needs the file later (the cause of a fault,
	// CheckLength) opens it again by its path, if it is still there. For ReadOnly.
	Detach bool

	// SoleWriter promises that nobody else writes to these bytes of the file while the storage is
	// there, as when the file is still being made. A copy then writes changed pages whole. By
	// default it writes the bytes that were changed and no others, one call for each run of them,
	// which can be a call for each element. It changes nothing for a mapping.
	SoleWriter bool

	// OpenFile opens the file in place of fsx.OpenFile, as where links are not to be followed.
	OpenFile func(name string, flag int, perm fs.FileMode) (*os.File, error)

	// Perm are the permissions of a created file before the umask, 0 meaning 0o644.
	Perm fs.FileMode
}

// Map maps size bytes from offset of the file at path. Any offset will do; size -1 means to the end
// of the file. Map returns ErrTruncated if the file ends before offset+size. Create makes a file of
// offset+size zeros, and leaves none behind when it fails. nil options are the defaults.
//
// The storage keeps the file open, so that it outlives renames and removal.
func Map(path string, offset, size int64, mode Mode, opts *MapOptions) (*Storage, error) {
	o := *cmp.Or(opts, &MapOptions{})
	if o.OpenFile == nil {
		o.OpenFile = fsx.OpenFile
	}
	if o.Detach && mode != ReadOnly {
		return nil, fmt.Errorf("map %q: Detach is for read-only mappings, not for %s ones", path, mode)
	}

	f, err := openData(path, offset, size, mode, o)
	if err != nil {
		return nil, fmt.Errorf("map %q: %w", path, err)
	}

	s, err := mapOpen(f, path, offset, size, mode, o)
	if err != nil {
		f.Close()
		if mode == Create {
			err = errors.Join(err, os.Remove(path))
		}
		return nil, fmt.Errorf("map %q: %w", path, err)
	}
	return s, nil
}

// MapFile is Map for a file that is open already, with default options. f must allow what mode asks
// for. The storage makes a descriptor of its own and does not keep f. With Create, f is a new file
// of the caller, who removes it on an error.
func MapFile(f *os.File, offset, size int64, mode Mode) (*Storage, error) {
	if err := checkMapArgs(offset, size, mode); err != nil {
		return nil, fmt.Errorf("map %q: %w", f.Name(), err)
	}
	own, err := duplicate(f)
	if err != nil {
		return nil, fmt.Errorf("map %q: duplicate descriptor: %w", f.Name(), err)
	}
	s, err := mapOpen(own, f.Name(), offset, size, mode, MapOptions{})
	if err != nil {
		own.Close()
		return nil, fmt.Errorf("map %q: %w", f.Name(), err)
	}
	return s, nil
}

// checkMapArgs tests everything that does not need the file.
func checkMapArgs(offset, size int64, mode Mode) error {
	switch {
	case !mode.valid():
		return fmt.Errorf("unknown mode %d: want ReadOnly, Shared, Private or Create", mode)
	case offset < 0:
		return fmt.Errorf("offset %d is negative", offset)
	case size < -1:
		return fmt.Errorf("size %d is negative: want a number of bytes, or -1 for the rest of the file", size)
	case size == -1 && mode == Create:
		return errors.New("a file can't be created up to its end: want a size")
	case size > maxSize-offset:
		return fmt.Errorf("offset %d and size %d exceed the largest file", offset, size)
	}
	return nil
}

// openData opens path if it is a regular file; opening a pipe would wait for its other end.
func openData(path string, offset, size int64, mode Mode, o MapOptions) (*os.File, error) {
	if err := checkMapArgs(offset, size, mode); err != nil {
		return nil, err
	}

	// Look at the kind of file before it is opened: opening a pipe waits for its other end.
	if mode != Create {
		info, err := os.Stat(path)
		if err != nil {
			return nil, bare(err)
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("want a regular file, found %s", info.Mode())
		}
	}

	f, err := o.OpenFile(path, mode.openFlags(), cmp.Or(o.Perm, 0o644))
	if perr, ok := err.(*fs.PathError); ok && perr.Path != path {
		return nil, err // it names a folder on the way
	}
	return f, bare(err)
}

// bare strips operation and path, which the caller names.
func bare(err error) error {
	if perr, ok := err.(*fs.PathError); ok {
		return perr.Err
	}
	return err
}

// mapOpen makes the storage over f, which it owns when it succeeds.
func mapOpen(f *os.File, path string, offset, size int64, mode Mode, o MapOptions) (*Storage, error) {
	size, err := prepareFile(f, offset, size, mode, o.Sparse)
	if err != nil {
		return nil, err
	}
	file := &dataFile{File: f, offset: offset, size: size, mode: mode, sparse: o.Sparse, alone: o.SoleWriter, open: o.OpenFile}
	src := &source{kind: KindMapped, path: path, name: fmt.Sprintf("%q", path), fileOffset: offset, writable: mode.writable()}

	var m *memory
	if o.Copy || heapStandsIn(size) {
		src.backing, m, err = openCopy(file)
	} else {
		src.backing, m, err = openMapping(file)
	}
	if err != nil {
		if errors.Is(err, syscall.ENODEV) {
			err = fmt.Errorf("%w (its file system can't map files: set MapOptions.Copy)", err)
		}
		return nil, err
	}

	account(CPU, KindMapped, size)
	heldFiles.Add(1)

	// Detach last: everything before needs the open file.
	if o.Detach {
		if err := file.detach(); err != nil {
			return nil, errors.Join(bare(err), src.free(m))
		}
	}

	return newStorage(src, m), nil
}

// prepareFile checks the length of an existing file, gives a new one its length, and returns the
// size with -1 resolved.
func prepareFile(f *os.File, offset, size int64, mode Mode, sparse bool) (int64, error) {
	if mode == Create {
		return size, reserve(f, 0, offset+size, sparse)
	}
	info, err := f.Stat()
	if err != nil {
		return 0, bare(err)
	}
	rest := info.Size() - offset
	if size == -1 {
		size = max(rest, 0)
	}
	if rest < size || rest < 0 {
		return 0, fmt.Errorf("%w: %d bytes at offset %d are asked for, the file has %d", ErrTruncated, size, offset, info.Size())
	}
	return size, nil
}
