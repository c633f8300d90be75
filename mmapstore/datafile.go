package mmapstore

import (
	"fmt"
	"io/fs"
	"os"
)

// dataFile is an open file and the part of it that a storage shows.
type dataFile struct {
	*os.File
	offset int64 // of the storage's first byte
	size   int64 // of the storage
	mode   Mode
	sparse bool
	alone  bool // nobody else writes to the part, see MapOptions.SoleWriter
	// open opens the file again once it is detached, see MapOptions.OpenFile.
	open func(name string, flag int, perm fs.FileMode) (*os.File, error)
	// detached is what the file was when it was closed, see MapOptions.Detach; nil while it is
	// open.
	detached fs.FileInfo
}

// end returns the length that the file must have.
func (f *dataFile) end() int64 { return f.offset + f.size }

// extend gives the file the bytes for a storage of newSize. Bytes that the file has there already
// are kept. A file that has lost bytes is not extended over the loss.
func (f *dataFile) extend(newSize int64) error {
	if !f.mode.toFile() {
		return fmt.Errorf("%w: a %s mapping can't change its file", ErrReadOnly, f.mode)
	}
	if err := f.check(); err != nil {
		return err
	}
	return reserve(f.File, f.end(), newSize-f.size, f.sparse)
}

// resize records what the storage shows now.
func (f *dataFile) resize(size int64) {
	unaccount(CPU, KindMapped, f.size)
	f.size = size
	account(CPU, KindMapped, f.size)
}

func (f *dataFile) close() error {
	unaccount(CPU, KindMapped, f.size)
	if f.detached != nil {
		return nil
	}
	heldFiles.Add(-1)
	return f.File.Close()
}
