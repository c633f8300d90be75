package mmapstore

import (
	"errors"
	"io/fs"
	"os"
	"sync/atomic"
)

// What storages over files hold now.
var heldFiles, heldMappings atomic.Int64

// Held returns how many descriptors, and how many mappings, the storages over files take in this
// process now. A system bounds both: on Linux RLIMIT_NOFILE and vm.max_map_count.
func Held() (files, mappings int64) { return heldFiles.Load(), heldMappings.Load() }

// errReplaced says that the path of a closed file leads to another file, or to none. The bytes of
// the closed file are still mapped.
var errReplaced = errors.New("the file was closed after it was mapped, and has been removed or replaced since")

// detach closes the file and remembers which one it was.
func (f *dataFile) detach() error {
	info, err := f.File.Stat()
	if err != nil {
		return err
	}
	f.detached = info
	heldFiles.Add(-1)
	return f.File.Close()
}

// Stat describes the file. If it was closed and is gone, Stat returns its description from then:
// nobody can cut a file that has no name.
func (f *dataFile) Stat() (fs.FileInfo, error) {
	if f.detached == nil {
		return f.File.Stat()
	}
	info, err := os.Stat(f.Name())
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, f.detached):
		return f.detached, nil
	case err != nil:
		return nil, err
	}
	return info, nil
}

// ReadAt reads from the file, which is opened for that if it was closed.
func (f *dataFile) ReadAt(p []byte, off int64) (int, error) {
	if f.detached == nil {
		return f.File.ReadAt(p, off)
	}

	// The path may lead to another file by now, or to none.
	again, err := f.open(f.Name(), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, errReplaced
	}
	if err != nil {
		return 0, err
	}
	defer again.Close()

	info, err := again.Stat()
	if err == nil && !os.SameFile(info, f.detached) {
		err = errReplaced
	}
	if err != nil {
		return 0, err
	}

	return again.ReadAt(p, off)
}
