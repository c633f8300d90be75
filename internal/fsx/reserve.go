package fsx

import (
	"errors"
	"io"
)

const zeroPiece = 4 << 20

// Reserve makes room for n bytes at off, past all bytes written so far, and extends the file over
// them, so that a full disk shows now and not in the middle of the writing.
//
// Where the file system can't reserve space, Reserve writes zeros instead. That promises nothing on
// a file system that copies on write or compresses, so write the data with WriteAt, whose errors
// return. Who wants to store through a mapping calls Fallocate itself and gives up that plan on
// [ErrFallocateUnsupported].
//
// After an error (ENOSPC above all) the file may have grown. The caller trims it with Truncate or
// removes it.
func Reserve(f File, off, n int64) error {
	err := f.Fallocate(off, n)
	if errors.Is(err, ErrFallocateUnsupported) {
		return writeZeros(f, off, n)
	}
	return err
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
