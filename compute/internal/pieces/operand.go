package pieces

import (
	"errors"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// ChunkElems is the number of elements of a chunk of a sequence, but for the last one.
const ChunkElems = 64 << 10

// An Operand holds elements that several goroutines read in C order, in packed pieces. They come
// from a tensor or from a sequence. An Operand holds its own reference to the storage of a tensor,
// and a pin if the pieces are the storage itself.
type Operand struct {
	DType    dtype.Type
	NumElems int
	Tensor   *view.Tensor // nil for a sequence

	reader   *view.Reader
	pin      mmapstore.Pin
	inner    []byte    // all elements, where they lie packed and aligned; touched under guard only
	sequence *sequence // if Tensor is nil
}

// Open returns the elements of t. Close ends it.
func Open(t *view.Tensor) (*Operand, error) {
	own, err := t.Retain()
	if err != nil {
		return nil, err
	}
	o := &Operand{DType: own.DType(), NumElems: own.NumElems(), Tensor: own, reader: own.Reader()}
	if !own.Layout().IsContiguous() || own.NumElems() == 0 || own.Storage().Place() != mmapstore.CPU {
		return o, nil
	}

	// Packed elements are read where they are, if kernels may read them there.
	if o.pin, err = own.Storage().Pin(); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	start := int64(own.Offset()) * int64(own.DType().Size())
	if b := o.pin.Bytes()[start : start+own.NumBytes()]; IsAligned(b) {
		o.inner = b
	}
	return o, nil
}

// Close gives the elements up.
func (o *Operand) Close() error {
	if o.sequence != nil {
		o.sequence.stop()
		return nil
	}
	o.pin.Unpin()
	return o.Tensor.Close()
}

// InPlace reports whether pieces are the storage itself, and not copies.
func (o *Operand) InPlace() bool { return o.inner != nil }

// Storages returns what fetched elements may lie in.
func (o *Operand) Storages() []*mmapstore.Storage {
	if o.Tensor == nil {
		return nil
	}
	return []*mmapstore.Storage{o.Tensor.Storage()}
}

// Buffer returns memory for Fetch of n elements, if it needs any.
func (o *Operand) Buffer(n int) []byte {
	if o.inner != nil {
		return nil
	}
	return AlignedBytes(min(n, o.NumElems) * o.DType.Size())
}

// Fetch returns n elements from number first on: in place, to be touched under guard only, or else
// in buf or in other memory. Those of a sequence are fetched once, by chunks of ChunkElems.
func (o *Operand) Fetch(buf []byte, first, n int) ([]byte, error) {
	size := o.DType.Size()
	if o.sequence != nil {
		return o.sequence.fetch(buf, first, n)
	}
	if o.inner != nil {
		return o.inner[first*size : (first+n)*size], nil
	}
	_, err := o.reader.ReadAt(buf[:n*size], int64(first)*int64(size))
	return buf[:n*size], err
}
