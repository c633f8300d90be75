package store

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
	Pack    bool
	Dims    []string
	Attrs   map[string]catalog.Value
}

// Source is a tensor's description together with its elements.
type Source struct {
	Spec
	Data     io.Reader
	Seal     bool
	Progress func(done int64)
	Origin   *Origin
}

// Clone returns a copy that shares nothing with the caller, who may go on to use the slices for the
// next tensor of a transaction.
func (sp Spec) Clone() Spec {
	sp.Shape, sp.Dims, sp.Attrs = slices.Clone(sp.Shape), slices.Clone(sp.Dims), maps.Clone(sp.Attrs)
	return sp
}

// CheckLabels returns an error if axes or attributes can't get these names. Names that a tensor
// already has need no check.
func CheckLabels(dims []string, attrs map[string]catalog.Value) error {
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
	l, err := sp.Layout()
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

// Layout returns the layout the new tensor has in its own storage.
func (sp Spec) Layout() (view.Layout, error) {
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

// FromTensor returns a Source that reads t in C order.
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

// PayloadOf returns the number of bytes of the elements that a header describes.
func PayloadOf(h npyheader.Header) (int64, error) {
	sp := Spec{DType: h.DType, Shape: h.Shape}
	return sp.NumBytes()
}
