package tstore

import (
	"io"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// Origin is where in a regular file the elements of a Source are.
type Origin struct {
	// File is borrowed.
	File *os.File
	// Offset is the offset of the first element, in bytes.
	Offset int64
	// BigEndian is set if the bytes of elements are to be swapped.
	BigEndian bool
}

// Data reads n bytes of elements of type t, little endian. The result is an io.ReaderAt.
func (o Origin) Data(t dtype.Type, n int64) io.Reader { return store.Origin(o).Data(t, n) }

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

func (sp Spec) inner() store.Spec {
	return store.Spec{
		DType: sp.DType, Shape: sp.Shape, Order: store.Order(sp.Order), Reserve: store.Reserve(sp.Reserve),
		Pack: sp.Pack, Dims: sp.Dims, Attrs: sp.Attrs,
	}
}

func specOf(sp store.Spec) Spec {
	return Spec{
		DType: sp.DType, Shape: sp.Shape, Order: Order(sp.Order), Reserve: Reserve(sp.Reserve),
		Pack: sp.Pack, Dims: sp.Dims, Attrs: sp.Attrs,
	}
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

func (src Source) inner() store.Source {
	return store.Source{Spec: src.Spec.inner(), Data: src.Data, Seal: src.Seal, Progress: src.Progress, Origin: (*store.Origin)(src.Origin)}
}

func sourceOf(src store.Source) Source {
	return Source{Spec: specOf(src.Spec), Data: src.Data, Seal: src.Seal, Progress: src.Progress, Origin: (*Origin)(src.Origin)}
}

// NumElems returns the number of elements, or an error when the shape is negative somewhere or its
// product overflows.
func (sp Spec) NumElems() (int, error) { return sp.inner().NumElems() }

// NumBytes returns the number of bytes the elements take.
func (sp Spec) NumBytes() (int64, error) { return sp.inner().NumBytes() }

// FromTensor returns a Source that reads t in C order. It borrows t, which must stay open until the
// Source has been used.
func FromTensor(t *view.Tensor) Source { return sourceOf(store.FromTensor(t)) }

// FromBytes returns a Source of the given description over elements in memory.
func FromBytes(sp Spec, b []byte) Source { return sourceOf(store.FromBytes(sp.inner(), b)) }

// FromSlice returns a Source over the values of data in C order. It borrows data.
func FromSlice[T dtype.Element](data []T, shape ...int) (Source, error) {
	r, err := store.FromSlice(data, shape...)
	return sourceOf(r), err
}

// SourceError is the error of one of the sources given to Concatenate or Stack, by its place.
type SourceError = store.SourceError

// Concatenate returns a Source of the elements of others, one after another along an axis; a
// negative axis counts from the last. Their dtypes are the same, and so are their shapes but for
// that axis. It reads them as it is read. Along another axis than the first, what has Data needs a
// Data that is an io.ReaderAt. A Source that does not fit is a *SourceError.
func Concatenate(axis int, sources ...Source) (Source, error) {
	r, err := store.Concatenate(axis, each(sources, Source.inner)...)
	return sourceOf(r), err
}

// Stack is Concatenate along a new first axis, on which each Source has one place.
func Stack(sources ...Source) (Source, error) {
	r, err := store.Stack(each(sources, Source.inner)...)
	return sourceOf(r), err
}
