package store

import (
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/elemio"
)

// Origin is where in a regular file the elements of a Source are.
type Origin struct {
	File      *os.File
	Offset    int64
	BigEndian bool
}

// Data reads n bytes of elements of type t, little endian. The result is an io.ReaderAt.
func (o Origin) Data(t dtype.Type, n int64) io.Reader {
	section := io.NewSectionReader(o.File, o.Offset, n)
	if !o.BigEndian {
		return section
	}

	size := int64(t.Size())
	return elemio.NewReader(t.Size(), n/size, func(dst []byte, first int64) error {
		got, err := section.ReadAt(dst, first*size)
		if got == len(dst) {
			dtype.SwapBytes(dst, t)
			return nil
		}

		// The file has become shorter since its size was looked at.
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("expected %d bytes of elements, found %d: %w", n, first*size+int64(got), err)
	})
}
