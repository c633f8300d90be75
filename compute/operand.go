package compute

import (
	"errors"
	"unsafe"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// An operand is elements that several goroutines read in C order, in packed pieces: those of a tensor, or those of a
// sequence. It holds its own reference to the storage of a tensor, and a pin where the pieces are the storage itself.
type operand struct {
	dtype    dtype.Type
	numElems int

	tensor *view.Tensor
	reader *view.Reader
	pin    mmapstore.Pin
	inner  []byte // all elements, where they lie packed and aligned; touched under Guard only

	sequence *sequence // if tensor is nil
}

func openOperand(t *view.Tensor) (*operand, error) {
	own, err := t.Retain()
	if err != nil {
		return nil, err
	}
	o := &operand{dtype: own.DType(), numElems: own.NumElems(), tensor: own, reader: own.Reader()}
	if !own.Layout().IsContiguous() || own.NumElems() == 0 {
		return o, nil
	}
	if o.pin, err = own.Storage().Pin(); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	start := int64(own.Offset()) * int64(own.DType().Size())
	if b := o.pin.Bytes()[start : start+own.NumBytes()]; isAligned(b) {
		o.inner = b
	}
	return o, nil
}

func (o *operand) close() error {
	if o.sequence != nil {
		o.sequence.stop()
		return nil
	}
	o.pin.Unpin()
	return o.tensor.Close()
}

// storages returns what fetched elements may lie in.
func (o *operand) storages() []*mmapstore.Storage {
	if o.tensor == nil {
		return nil
	}
	return []*mmapstore.Storage{o.tensor.Storage()}
}

// buffer returns memory for fetch of n elements, if it needs any.
func (o *operand) buffer(n int) []byte {
	if o.inner != nil {
		return nil
	}
	return alignedBytes(min(n, o.numElems) * o.dtype.Size())
}

// fetch returns n elements from number first on: in place, to be touched under guard only, or else in buf or in other
// memory. Those of a sequence are fetched once, by chunks.
func (o *operand) fetch(buf []byte, first, n int) ([]byte, error) {
	size := o.dtype.Size()
	if o.sequence != nil {
		return o.sequence.fetch(buf, first, n)
	}
	if o.inner != nil {
		return o.inner[first*size : (first+n)*size], nil
	}
	_, err := o.reader.ReadAt(buf[:n*size], int64(first)*int64(size))
	return buf[:n*size], err
}

// maxAlign is the alignment that every element type is content with.
const maxAlign = 8

func isAligned(b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%maxAlign == 0
}

// alignedBytes returns n bytes where elements of any type may be put.
func alignedBytes(n int) []byte {
	words := make([]uint64, (n+maxAlign-1)/maxAlign)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// elements is b, which is aligned, seen as elements of T.
func elements[T dtype.Element](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}
