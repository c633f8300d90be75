package kernel_test

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// halfMeaning returns what a kernel on floats of 16 bits in memory means: the operation on float32,
// rounded once. It is nil if e is no operation on two operands.
func halfMeaning(e kernel.Entry) kernel.Func {
	single := kernel.Generic(e.Op, dtype.Float32, 0)
	if single == nil || e.Op.NumOperands() != 2 {
		return nil
	}
	var a32, b32, r32 [maxElems]float32
	return func(dst, a, b, _, _ unsafe.Pointer, n int) {
		convert := func(dst unsafe.Pointer, to dtype.Type, src unsafe.Pointer, from dtype.Type) {
			dtype.Convert(unsafe.Slice((*byte)(dst), n*to.Size()), to, unsafe.Slice((*byte)(src), n*from.Size()), from)
		}
		convert(unsafe.Pointer(&a32), dtype.Float32, a, e.Type)
		convert(unsafe.Pointer(&b32), dtype.Float32, b, e.Type)
		single(unsafe.Pointer(&r32), unsafe.Pointer(&a32), unsafe.Pointer(&b32), nil, nil, n)
		convert(dst, e.Type, unsafe.Pointer(&r32), dtype.Float32)
	}
}
