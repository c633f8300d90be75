package fsx

import (
	"errors"

	"golang.org/x/sys/unix"
)

// dataSpans calls fn with the parts of the first n bytes of f that are not holes, in order. It moves f's position.
func dataSpans(f File, n int64, fn func(span) error) error {
	for end := int64(0); end < n; {
		start, err := f.Seek(end, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) { // only a hole is left
			return nil
		}
		if errors.Is(err, unix.EINVAL) { // unknown here: all is data
			return fn(span{end, n - end})
		}
		if err != nil || start >= n {
			return err
		}
		if end, err = f.Seek(start, unix.SEEK_HOLE); err != nil {
			return err
		}
		end = min(end, n)
		if err := fn(span{start, end - start}); err != nil {
			return err
		}
	}
	return nil
}
