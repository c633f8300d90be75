package view

import (
	"fmt"

	"github.com/tstore/tstore/dtype"
)

// maxElement is the size of the largest element in bytes.
const maxElement = 16

// Get returns one element. There is one index per axis; a negative one counts from the end. It also
// works where the storage lives on a device, by copying the element over. The errors are
// *RankError, *IndexError and those of the storage.
func (t *Tensor) Get(idx ...int) (dtype.Scalar, error) {
	var buf [maxElement]byte
	b := buf[:t.dt.Size()]
	if err := t.readElement(b, idx); err != nil {
		return dtype.Scalar{}, err
	}
	return dtype.Load(t.dt, b), nil
}

// Set writes v, converted to the type of t by the rules of Scalar.Convert, to one element; see Get.
func (t *Tensor) Set(v dtype.Scalar, idx ...int) error {
	if !v.Type().Valid() {
		return fmt.Errorf("set element: the value has no type")
	}
	var buf [maxElement]byte
	b := buf[:t.dt.Size()]
	v.Convert(t.dt).Store(b)
	return t.writeElement(b, idx)
}

// readElement copies the bytes of one element into b.
func (t *Tensor) readElement(b []byte, idx []int) error {
	off, err := t.byteOffset(idx)
	if err != nil {
		return err
	}
	st, err := t.own.storage()
	if err != nil {
		return err
	}
	_, err = st.ReadAt(b, off)
	return err
}

// writeElement is the reverse of readElement.
func (t *Tensor) writeElement(b []byte, idx []int) error {
	off, err := t.byteOffset(idx)
	if err != nil {
		return err
	}
	if err := t.layout.checkDistinct(); err != nil {
		return fmt.Errorf("set element: %w", err)
	}
	return t.own.writeBytes(b, off)
}

// byteOffset returns where an element starts in the storage.
func (t *Tensor) byteOffset(idx []int) (int64, error) {
	pos, err := t.layout.Pos(idx...)
	return int64(pos) * int64(t.dt.Size()), err
}
