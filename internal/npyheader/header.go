package npyheader

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tstore/tstore/dtype"
)

const (
	// MaxRank is the most axes an array may have; it is NumPy's limit.
	MaxRank = 64
	// MaxHeader is the longest header, in bytes after the length field, that is read.
	MaxHeader = 64 << 10
)

var (
	// ErrNotNPY is the error for bytes that do not start as a .npy file does.
	ErrNotNPY = errors.New("not a .npy file")
	// ErrMalformed is the error for a .npy file whose header breaks the format.
	ErrMalformed = errors.New("malformed .npy header")
	// ErrUnsupported is the error for a good .npy file whose version, or whose elements, have no
	// place in a tensor of numbers.
	ErrUnsupported = errors.New("unsupported .npy file")
)

// Header is what the header of a .npy file says.
type Header struct {
	// DType is the type of the elements, Invalid where Descr is a void code.
	DType dtype.Type
	// Descr is the type's code as it stands in the file, such as "<f4". Encode ignores it.
	Descr string
	// Swapped says that the elements are big-endian; see [dtype.SwapBytes].
	Swapped bool
	// Fortran says that the first axis varies fastest, else the last one does.
	Fortran bool
	// Shape has the length of each axis, none negative; empty for a single element.
	Shape []int
	// Comment is the text after '#' behind the dictionary, without surrounding space.
	Comment string
	// DataOffset is where the elements start, in bytes from the start of the file. Encode ignores
	// it.
	DataOffset int64
	// Major and Minor are the version of the format: 1.0, 2.0 or 3.0. Encode ignores them and
	// writes 1.0.
	Major, Minor byte
}

// NumElems returns the number of elements: the product of the shape.
func (h Header) NumElems() int {
	n := 1
	for _, dim := range h.Shape {
		n *= dim
	}
	return n
}

// PayloadBytes returns the bytes that the elements take in the file.
func (h Header) PayloadBytes() int64 { return int64(h.NumElems()) * int64(h.itemSize()) }

// itemSize returns the bytes of an element; a void code ends in it.
func (h Header) itemSize() int {
	if h.DType.Valid() {
		return h.DType.Size()
	}
	size, _ := strconv.Atoi(strings.TrimLeft(h.Descr, "<>=|V"))
	return size
}

// checkShape makes sure that the rank, and the bytes of all elements behind a header, are in
// bounds. Axes of length 0 do not excuse the others, as in NumPy.
func (h Header) checkShape() error {
	if len(h.Shape) > MaxRank {
		return fmt.Errorf("shape has %d axes: at most %d are possible", len(h.Shape), MaxRank)
	}
	size := uint64(h.itemSize())
	for _, dim := range h.Shape {
		if dim < 0 {
			return fmt.Errorf("shape %v has a negative axis", h.Shape)
		}
		over, product := bits.Mul64(size, uint64(max(dim, 1)))
		if over != 0 || product > math.MaxInt64-2*MaxHeader {
			return fmt.Errorf("shape %v of %d-byte elements: more than 2^63 bytes", h.Shape, h.itemSize())
		}
		size = product
	}
	return nil
}
