package mmapstore

import (
	"errors"
	"fmt"
	"os"
)

// zeroPiece is how much is written at once where space can't be reserved otherwise.
const zeroPiece = 4 << 20

// errNoReserve says that the file system can't reserve space.
var errNoReserve = errors.New("the file system can't reserve space")

// reserve gives f the bytes [off, off+n), with their space on the disk unless sparse. Bytes that
// are there already are kept, new ones are zero. On an error f has the length it had before.
func reserve(f *os.File, off, n int64, sparse bool) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("stat: %w", bare(err))
	}

	length, end := info.Size(), off+n
	if sparse {
		return bare(f.Truncate(max(length, end)))
	}

	// Preallocation keeps the bytes that are there. Where the file system can't preallocate, zeros
	// are written behind the end only.
	err = preallocate(f, off, n)
	if errors.Is(err, errNoReserve) {
		err = writeZeros(f, max(off, length), end)
	}
	if err != nil {
		// Parts of the space may have been found: give them back.
		return errors.Join(fmt.Errorf("reserve %d bytes: %w", n, err), bare(f.Truncate(length)))
	}

	return nil
}

// writeZeros finds the space for [off, end) by writing to it, once the file system has taken the
// length: one that it can't have is an error before the disk is full.
func writeZeros(f *os.File, off, end int64) error {
	if off < end {
		if err := f.Truncate(end); err != nil {
			return bare(err)
		}
	}
	zeros := make([]byte, min(zeroPiece, max(0, end-off)))
	for off < end {
		n, err := f.WriteAt(zeros[:min(zeroPiece, end-off)], off)
		if err != nil {
			return bare(err)
		}
		off += int64(n)
	}
	return nil
}
