package fsx

import (
	"errors"
	"io"
)

const zeroPiece = 4 << 20

// Reserve makes room for n bytes at off, past all bytes written so far, and extends the file over them, so that a
// full disk shows now and not in the middle of the writing. It reports whether the file system promises the space:
// if so, stores through a mapping can't run out of it. If not, Reserve has written zeros, which promise nothing on
// a file system that copies on write or compresses: write with WriteAt there, whose errors return.
//
// After an error (ENOSPC above all) the file may have grown. The caller trims it with Truncate or removes it.
func Reserve(f File, off, n int64) (promised bool, err error) {
	err = f.Fallocate(off, n)
	if errors.Is(err, ErrFallocateUnsupported) {
		return false, writeZeros(f, off, n)
	}
	return err == nil, err
}

func writeZeros(f File, off, n int64) error {
	zeros := make([]byte, min(n, zeroPiece))
	for n > 0 {
		wrote, err := f.WriteAt(zeros[:min(n, zeroPiece)], off)
		if err != nil {
			return err
		}
		if wrote == 0 {
			return io.ErrShortWrite
		}
		off, n = off+int64(wrote), n-int64(wrote)
	}
	return nil
}
