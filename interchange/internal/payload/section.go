package payload

import (
	"fmt"
	"io"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/elemio"
)

// Section reads n bytes of elements of type t, which start at byte off of r. The result is an io.ReaderAt; where
// no bytes have to be swapped it is an *io.SectionReader over r itself.
func Section(r io.ReaderAt, off, n int64, t dtype.Type, swapped bool) io.Reader {
	section := io.NewSectionReader(r, off, n)
	if !swapped {
		return section
	}
	size := int64(t.Size())
	return elemio.NewReader(t.Size(), n/size, func(dst []byte, first int64) error {
		got, err := section.ReadAt(dst, first*size)
		if got < len(dst) {
			return short(n, first*size+int64(got), err)
		}
		dtype.SwapBytes(dst, t)
		return nil
	})
}

// short is the error for elements that end after got of want bytes.
func short(want, got int64, err error) error {
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("expected %d bytes of elements, found %d: %w", want, got, err)
}
