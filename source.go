package tstore

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/view"
)

// Order says how the elements of a new tensor follow one another in its file.
type Order uint8

const (
	// RowMajor is C order: the last axis varies fastest.
	RowMajor Order = iota
	// ColumnMajor is Fortran order: the first axis varies fastest.
	ColumnMajor
)

// Reserve says when a new tensor takes its disk space.
type Reserve uint8

const (
	// Preallocate takes all of it at creation: a full disk is an error then and cannot be one
	// later.
	Preallocate Reserve = iota
	// Sparse takes blocks as they are first written. Reading what was never written gives zeros.
	Sparse
)

// Spec describes a tensor to be made.
type Spec struct {
	DType   dtype.Type
	Shape   []int
	Order   Order
	Reserve Reserve
	// Pack lets a tensor of up to 64 KiB share a file with others that are made in the same
	// transaction: many thousand small tensors are made faster so, and take less space. Other
	// programs can't read the file as that tensor.
	Pack bool
	// Dims names the axes: empty, or one name an axis, "" where it has none.
	Dims []string
	// Attrs are the first attributes.
	Attrs map[string]catalog.Value
}

// Source is a tensor's description together with its elements.
type Source struct {
	Spec
	// Data yields the elements in Order, little endian, exactly NumBytes of them. Nil means zeros.
	// A Data that is also an io.ReaderAt is read by several goroutines.
	Data io.Reader
	// Seal makes the new tensor a sealed one, with checksums of the elements of Data made as they
	// are written; see Store.Seal. It means nothing without Data.
	Seal bool
	// Progress, when set, is called now and then with the bytes written so far. Calls do not
	// overlap.
	Progress func(done int64)
	// Origin, when set, is the file that Data reads, so that an import can be resumed; see Journal.
	Origin *Origin
}

// clone returns a copy that shares nothing with the caller, who may go on to use the slices for the
// next tensor of a transaction.
func (sp Spec) clone() Spec {
	sp.Shape, sp.Dims, sp.Attrs = slices.Clone(sp.Shape), slices.Clone(sp.Dims), maps.Clone(sp.Attrs)
	return sp
}

// checkLabels returns an error if axes or attributes can't get these names. Names that a tensor
// already has need no check.
func checkLabels(dims []string, attrs map[string]catalog.Value) error {
	for _, dim := range dims {
		if err := catalog.CheckNewLabel(dim); err != nil {
			return fmt.Errorf("axis: %w", err)
		}
	}
	for key := range attrs {
		if err := catalog.CheckNewLabel(key); err != nil {
			return fmt.Errorf("attribute: %w", err)
		}
	}
	return nil
}

// NumElems returns the number of elements, or an error when the shape is negative somewhere or its
// product overflows.
func (sp Spec) NumElems() (int, error) {
	l, err := sp.layout()
	if err != nil {
		return 0, err
	}
	return l.NumElems(), nil
}

// NumBytes returns the number of bytes the elements take.
func (sp Spec) NumBytes() (int64, error) {
	n, err := sp.NumElems()
	if err != nil {
		return 0, err
	}
	size := sp.DType.Size()
	if n > (math.MaxInt64-storefile.HeaderBytes)/size {
		return 0, fmt.Errorf("shape %v of %v is larger than a file can be", sp.Shape, sp.DType)
	}
	return int64(n) * int64(size), nil
}

// layout returns the layout the new tensor has in its own storage.
func (sp Spec) layout() (view.Layout, error) {
	if !sp.DType.Valid() {
		return view.Layout{}, fmt.Errorf("no dtype given: want one of %v", dtype.All())
	}
	if len(sp.Dims) != 0 && len(sp.Dims) != len(sp.Shape) {
		return view.Layout{}, fmt.Errorf("%d dimension names %q for %d axes: name all of them or none", len(sp.Dims), sp.Dims, len(sp.Shape))
	}
	if sp.Order == ColumnMajor {
		return view.NewFortranLayout(sp.Shape...)
	}
	return view.NewLayout(sp.Shape...)
}

// FromTensor returns a Source that reads t in C order. It borrows t, which must stay open until the
// Source has been used.
func FromTensor(t *view.Tensor) Source {
	return Source{Spec: Spec{DType: t.DType(), Shape: t.Shape()}, Data: t.Reader()}
}

// FromBytes returns a Source of the given description over elements in memory.
func FromBytes(sp Spec, b []byte) Source {
	return Source{Spec: sp, Data: bytes.NewReader(b)}
}

// FromSlice returns a Source over the values of data in C order. It borrows data.
func FromSlice[T dtype.Element](data []T, shape ...int) (Source, error) {
	t, err := view.FromSlice(data, shape...)
	if err != nil {
		return Source{}, err
	}
	return FromTensor(t), nil
}

// payloadOf returns the number of bytes a header describes.
func payloadOf(h npyheader.Header) (int64, error) {
	sp := Spec{DType: h.DType, Shape: h.Shape}
	return sp.NumBytes()
}
