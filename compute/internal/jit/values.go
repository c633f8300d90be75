package jit

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// Values computes the values of p, one after the other, for n elements, by the kernels in Go: what p
// means. The elements of inputs are aligned; scalars have one element each.
func (p *Program) Values(inputs, scalars [][]byte, n int) [][]byte {
	values := append([][]byte{}, inputs...)
	for k, t := range p.Scalars {
		repeated := make([]byte, 0, n*t.Size())
		for range n {
			repeated = append(repeated, scalars[k]...)
		}
		values = append(values, repeated)
	}
	for i := range p.Ops {
		o := &p.Ops[i]
		var operands [][]byte
		for _, v := range o.Args[:o.numArgs()] {
			operands = append(operands, values[v])
		}
		values = append(values, o.value(operands, n))
	}
	return values
}

// value computes n elements.
func (o *Op) value(operands [][]byte, n int) []byte {
	out := words(n * o.Result.Size())
	switch {
	case o.Op == kernel.Invalid:
		dtype.Convert(out, o.Result, operands[0], o.Operand)
	case kernel.RegisterType(o.Operand) != o.Operand:
		wide := Op{Op: o.Op, Operand: dtype.Float32, Result: dtype.Float32}
		var widened [][]byte
		for _, b := range operands {
			w := words(4 * n)
			dtype.Convert(w, dtype.Float32, b, o.Operand)
			widened = append(widened, w)
		}
		dtype.Convert(out, o.Result, wide.value(widened, n), dtype.Float32)
	default:
		var args [3]unsafe.Pointer
		for k, b := range operands {
			args[k] = unsafe.Pointer(unsafe.SliceData(b))
		}
		kernel.Call(kernel.Generic(o.Op, o.Operand, 0), unsafe.Pointer(unsafe.SliceData(out)), args[0], args[1], args[2], n)
	}
	return out
}

// words returns n bytes that are aligned to elements of all types.
func words(n int) []byte {
	w := make([]uint64, n/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), n)
}
