package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A Func computes n ≥ 0 elements: dst[i] from a[i], b[i] and c[i]. Operands that the operation does
// not take are nil. An operand that its Form calls a scalar is one element, used for all i.
//
// d is read by no Func. It stands here because every function in assembly finds n behind it, at a
// fixed place; Call leaves it out.
//
// dst may be the same address as a vector operand whose elements are not smaller than those of dst;
// otherwise it overlaps no operand. All addresses are aligned to their elements. Nothing beyond the
// n elements is read or written.
//
// A bool operand is true if its byte is not 0. The bools that operations make are bytes 0 and 1,
// but Copy and Where move them as they are.
//
// Funcs may be machine code, which the scheduler cannot stop: they are called through Call.
type Func func(dst, a, b, c, d unsafe.Pointer, n int)

// A Form says which operands are scalars: bit i stands for operand i. The zero Form has none.
type Form uint8

// The forms of operations with two operands.
const (
	VectorVector Form = 0
	ScalarVector Form = 1
	VectorScalar Form = 2
)

// MaxCallBytes bounds the elements that one Call should write, so that a garbage collection never
// waits long.
const MaxCallBytes = 1 << 20

// Call calls f. It has a stack frame, whose entry is the point where the scheduler can stop a loop
// over kernels.
//
//go:noinline
func Call(f Func, dst, a, b, c unsafe.Pointer, n int) { f(dst, a, b, c, nil, n) }

// RegisterType returns the type that elements of type t are computed in: float32 for floats of
// fewer bits.
func RegisterType(t dtype.Type) dtype.Type {
	if t.Kind() == dtype.KindFloat && t.Size() < dtype.Float32.Size() {
		return dtype.Float32
	}
	return t
}
