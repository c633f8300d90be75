package gemm

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// An Operand is a batch of matrices in memory.
type Operand struct {
	Base     unsafe.Pointer // element (0, 0) of the first matrix
	Type     dtype.Type
	Row, Col int   // bytes between rows, and between columns; any number
	Batch    []int // bytes between matrices along each axis of the batch

	// Runs, if it is not nil, is a second place of the elements, from which whole runs of k are
	// packed: for each run of [RunElems] steps all rows of A, or columns of B, one after the other,
	// with the elements of the run side by side. A tile reads one stretch of it for each run. There
	// is no batch then.
	Runs unsafe.Pointer

	// Address, if it is not 0, is where element (0, 0) of the first matrix is on a device. Base and
	// Runs are nil then, and only what has the Moves of Panels done there takes the operand.
	Address uint64
}

// A Spec says what is multiplied: C = A·B, where A is M × K and B is K × N, for each matrix of a
// batch.
//
// Elements of A and B are converted to [Register] of C's type, which must hold all their values;
// they are complex if C is. Rows of C have their elements side by side.
type Spec struct {
	Batch   []int // sizes of the axes of the batch; empty for one product
	M, N, K int
	A, B, C Operand

	// Also, if it has an Address, is where the elements of C go as well, on a device.
	Also Operand

	Workers int   // how many will work, for the size of chunks
	Buffers int64 // bytes that may be taken for panels; at least minBuffers are
	Spill   bool  // C lies in a file: a tile of it takes memory too, until it is written back

	// Grain, if it is not 0, is the Grain of another job of the same Spec. This job then has the
	// same units, if this CPU can, whatever Buffers says.
	Grain int

	// Next announces a part that will be worked on soon, so that it can be read ahead. It may be
	// nil. Calls do not overlap and come in the order of the parts. Not all parts are announced.
	Next func(p Part)
	// Last is called when the elements of C in rows [Row, Row+Rows) and columns [Col, Col+Cols) are
	// final; may be nil.
	Last func(p Part)
}

// A Part is a piece of the work: rows of A and columns of B, over a range of k.
type Part struct {
	Batch      int // the number of the matrix in the batch
	Row, Rows  int
	Col, Cols  int
	From, Long int // the range of k
}

// Register returns the type that products for results of type t are computed in: float32, float64,
// int32 or int64, of the parts of complex numbers.
func Register(t dtype.Type) dtype.Type {
	switch t {
	case dtype.Float64, dtype.Complex128:
		return dtype.Float64
	case dtype.Int64, dtype.Uint64:
		return dtype.Int64
	case dtype.Int8, dtype.Int16, dtype.Int32, dtype.Uint8, dtype.Uint16, dtype.Uint32:
		return dtype.Int32
	}
	return dtype.Float32 // also of bools: sums of what is not negative do not come back to 0
}

// Holds reports whether elements of type t may be operands of products of type to.
func Holds(to, t dtype.Type) bool {
	if to.Kind() == dtype.KindComplex || t.Kind() == dtype.KindComplex {
		return to == t
	}
	return dtype.CanCast(t, to, dtype.CastSafe)
}

// matrix returns where matrix number i of the batch of sizes begins.
func (o *Operand) matrix(sizes []int, i int) unsafe.Pointer {
	return unsafe.Add(o.Base, o.offset(sizes, i))
}

// offset returns the bytes from the first matrix to number i of the batch of sizes.
func (o *Operand) offset(sizes []int, i int) (bytes int) {
	for axis := len(sizes) - 1; axis >= 0; axis-- {
		bytes += i % sizes[axis] * o.Batch[axis]
		i /= sizes[axis]
	}
	return bytes
}
