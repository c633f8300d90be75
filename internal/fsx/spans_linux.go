package fsx

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// nextData finds the first bytes from off on, which is inside the file, that are not a hole: they
// begin at noData where only a hole is left. It moves f's position.
func nextData(f io.Seeker, off int64) (begin, end int64, err error) {
	begin, err = f.Seek(off, unix.SEEK_DATA)
	switch {
	case errors.Is(err, unix.ENXIO):
		return noData, noData, nil
	case errors.Is(err, unix.EINVAL): // unknown here: all is data
		return off, noData, nil
	case err != nil:
		return 0, 0, err
	}
	end, err = f.Seek(begin, unix.SEEK_HOLE)
	return begin, end, err
}
