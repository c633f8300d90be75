package view

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
)

// FromSlice returns a C-order tensor that borrows data: writes to one show in the other. Without a
// shape the tensor has one axis of len(data). The shape must have as many elements as data.
func FromSlice[T dtype.Element](data []T, shape ...int) (*Tensor, error) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}

	l, err := NewLayout(shape...)
	if err != nil {
		return nil, fmt.Errorf("from slice: %w", err)
	}

	if l.NumElems() != len(data) {
		return nil, fmt.Errorf("from slice: shape %s has %d elements, the slice has %d", formatShape(shape), l.NumElems(), len(data))
	}

	st := mmapstore.FromBytes(bytesOf(data))

	// The tensor holds a reference of its own: the one of FromBytes is given back whether there is
	// a tensor or not.
	t, err := NewTensor(st, dtype.Of[T](), l)
	if rerr := st.Release(); err == nil {
		err = rerr
	}

	if err != nil {
		return nil, fmt.Errorf("from slice: %w", err)
	}
	return t, nil
}

// bytesOf returns the memory of data.
func bytesOf[T dtype.Element](data []T) []byte {
	var v T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(v)))
}
