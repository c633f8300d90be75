package mmapstore

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// FaultError says that mapped memory could not be read or written: the file was truncated behind
// the mapping, its medium failed, the disk of a sparse file is full, or a store hit read-only
// memory. Other storages are not affected.
type FaultError struct {
	Path   string // the file; for memory without one, a description
	Offset int64  // of the byte, in the file
	Err    error  // the cause; matches ErrTruncated when the file is too short, ErrReadOnly for a forbidden store
}

// Error names file, offset and cause.
func (e *FaultError) Error() string {
	return fmt.Sprintf("memory fault at byte %d of %q: %v", e.Offset, e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *FaultError) Unwrap() error { return e.Err }

// faultAt describes a fault at off, counted from the first byte of the source.
func (s *source) faultAt(off int64) error {
	path := s.path
	if path == "" {
		path = s.name
	}
	return &FaultError{Path: path, Offset: s.fileOffset + off, Err: s.diagnose(off)}
}

// errTransient is the cause of a fault that can't be repeated.
var errTransient = errors.New("the byte was inaccessible but can be read now: a read error that has passed, or a file cut and extended again")

// diagnose finds out why the byte at off of the storage could not be reached through its mapping.
func (f *dataFile) diagnose(off int64) error {
	if err := f.check(); err != nil {
		return err
	}

	// Read the page by a system call: unlike the fault, it says what is wrong.
	page := int64(os.Getpagesize())
	start := (f.offset + off) / page * page
	_, err := f.ReadAt(make([]byte, page), start)
	switch {
	case err != nil && err != io.EOF:
		return fmt.Errorf("page can't be read: %w", bare(err))
	case !f.mode.writable():
		return fmt.Errorf("%w, and its page can be read: the fault was a store, or a read error that has passed", ErrReadOnly)
	case !f.mode.toFile():
		return errTransient
	}

	// The page is a hole in a shared mapping, where a store needs new space. Asking for the space
	// shows whether the disk is full.
	if err := allocatePage(f.File, start, min(page, f.end()-start)); err != nil {
		return fmt.Errorf("page gets no space on the disk: %w", err)
	}
	return errTransient
}

// check returns ErrTruncated if the file has lost bytes of the storage.
func (f *dataFile) check() error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("stat: %w", bare(err))
	}
	if info.Size() < f.end() {
		return fmt.Errorf("%w: it has %d bytes, %d are needed", ErrTruncated, info.Size(), f.end())
	}
	return nil
}
