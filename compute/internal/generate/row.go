package generate

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/elemio"
)

// A Row is a row of elements that are computed instead of stored. Element i always has the same
// value, so several goroutines may read by ReadAt. Read goes on from where it stopped and belongs to
// one goroutine. Elements are packed and little endian, as they are in a storage.
type Row struct {
	elems *elemio.Reader
	typ   dtype.Type
	n     int64
}

func newRow(t dtype.Type, n int64, fill elemio.Fill) *Row {
	return &Row{elems: elemio.NewReader(t.Size(), n, fill), typ: t, n: n}
}

// endless returns the largest number of elements of t that bytes can address.
func endless(t dtype.Type) int64 { return math.MaxInt64 / int64(t.Size()) }

// DType is the type of the elements.
func (r *Row) DType() dtype.Type { return r.typ }

// NumElems returns the number of elements: the number given to Arange or Linspace, otherwise as
// many as can be addressed.
func (r *Row) NumElems() int64 { return r.n }

// Read implements io.Reader.
func (r *Row) Read(p []byte) (int, error) { return r.elems.Read(p) }

// ReadAt implements io.ReaderAt; off is in bytes.
func (r *Row) ReadAt(p []byte, off int64) (int, error) { return r.elems.ReadAt(p, off) }

// Take reads the first n elements, or all of them if there are fewer.
func (r *Row) Take(n int) *io.SectionReader {
	elems := min(int64(max(n, 0)), r.n)
	return io.NewSectionReader(r.elems, 0, elems*int64(r.typ.Size()))
}

// Constant generates the value v, converted to t as dtype.Convert does, without end.
func Constant(t dtype.Type, v dtype.Scalar) (*Row, error) {
	if !t.Valid() || !v.Type().Valid() {
		return nil, fmt.Errorf("constant %v of dtype %v: no valid dtype", v, t)
	}
	var elem [16]byte
	v.Convert(t).Store(elem[:])
	return newRow(t, endless(t), func(dst []byte, _ int64) error {
		repeat(dst, elem[:t.Size()])
		return nil
	}), nil
}

// repeat fills dst with copies of elem.
func repeat(dst, elem []byte) {
	for n := copy(dst, elem); n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// storeWord writes the low bytes of v, as many as an element of size bytes has.
func storeWord(dst []byte, v uint64, size int) {
	switch size {
	case 1:
		dst[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(dst, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(dst, uint32(v))
	case 8:
		binary.LittleEndian.PutUint64(dst, v)
	}
}
