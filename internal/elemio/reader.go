package elemio

import (
	"fmt"
	"io"
)

// Fill writes the elements from the one at index first on to dst, which has room for a whole number
// of them. It must be safe for concurrent use where the Reader is.
type Fill func(dst []byte, first int64) error

// maxElemBytes is the size of the largest element.
const maxElemBytes = 16

// Reader serves the bytes of elements. ReadAt may be called from several goroutines at once; Read
// has a position and may not.
type Reader struct {
	fill     Fill
	elemSize int64
	size     int64 // in bytes
	pos      int64 // of the next Read
}

// NewReader returns a reader of numElems elements of elemSize bytes, at most 16, whose product does
// not overflow.
func NewReader(elemSize int, numElems int64, fill Fill) *Reader {
	if elemSize < 1 || elemSize > maxElemBytes {
		panic(fmt.Sprintf("BUG: elemio: elements of %d bytes", elemSize))
	}
	return &Reader{fill: fill, elemSize: int64(elemSize), size: numElems * int64(elemSize)}
}

// Size returns the number of bytes of all elements.
func (r *Reader) Size() int64 { return r.size }

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := r.ReadAt(p, r.pos)
	r.pos += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// ReadAt implements io.ReaderAt. An error of the Fill leaves the number of bytes before it.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("read at offset %d: it is negative", off)
	}
	if off >= r.size {
		return 0, io.EOF
	}

	var end error
	if room := r.size - off; int64(len(p)) > room {
		p, end = p[:room], io.EOF
	}

	for done := 0; done < len(p); {
		n, err := r.readSome(p[done:], off+int64(done))
		if err != nil {
			return done, err
		}
		done += n
	}

	return len(p), end
}

// readSome reads as many whole elements as p has room for, or else a part of one.
func (r *Reader) readSome(p []byte, off int64) (int, error) {
	first, cut := off/r.elemSize, off%r.elemSize
	if whole := int64(len(p)) / r.elemSize * r.elemSize; cut == 0 && whole > 0 {
		return int(whole), r.fill(p[:whole], first)
	}
	var elem [maxElemBytes]byte
	if err := r.fill(elem[:r.elemSize], first); err != nil {
		return 0, err
	}
	return copy(p, elem[cut:r.elemSize]), nil
}
