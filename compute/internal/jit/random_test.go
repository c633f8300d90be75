package jit_test

import (
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// types are those that random programs have operands of.
var types = []dtype.Type{
	dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64, dtype.Uint32, dtype.Uint64, dtype.Bool,
	dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16, dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16,
}

// randomProgram returns a program of some operations. It may be one that can't be compiled.
func randomProgram(r *rand.Rand) *jit.Program {
	p := &jit.Program{}
	few := types
	if r.IntN(3) > 0 {
		few = []dtype.Type{types[r.IntN(len(types))], dtype.Float32, dtype.Float64}[:1+r.IntN(3)]
	}
	for range 1 + r.IntN(3) {
		p.Inputs = append(p.Inputs, few[r.IntN(len(few))])
	}
	for range r.IntN(3) {
		p.Scalars = append(p.Scalars, few[r.IntN(len(few))])
	}
	for range 1 + r.IntN(12) {
		if o, ok := randomOp(r, p); ok {
			p.Ops = append(p.Ops, o)
		}
	}
	if len(p.Ops) == 0 {
		return randomProgram(r)
	}
	operands := len(p.Inputs) + len(p.Scalars)
	p.Outputs = []int{operands + len(p.Ops) - 1}
	for r.IntN(4) == 0 {
		p.Outputs = append(p.Outputs, operands+r.IntN(len(p.Ops)))
	}
	p.Stream = r.IntN(4) == 0
	return p
}

// typeOf returns the type of a value.
func typeOf(p *jit.Program, v int) dtype.Type {
	if v < len(p.Inputs) {
		return p.Inputs[v]
	}
	if v -= len(p.Inputs); v < len(p.Scalars) {
		return p.Scalars[v]
	}
	return p.Ops[v-len(p.Scalars)].Result
}

// randomOp returns an operation on values that p has.
func randomOp(r *rand.Rand, p *jit.Program) (jit.Op, bool) {
	operands := len(p.Inputs) + len(p.Scalars)
	values := operands + len(p.Ops)
	latest := func() int { return max(r.IntN(values), r.IntN(values)) }
	first := latest()
	t := typeOf(p, first)
	if isHalf(t) && r.IntN(2) == 0 {
		return randomHalfOp(r, p, first)
	}
	if r.IntN(8) == 0 || isHalf(t) {
		to := types[r.IntN(len(types))]
		return jit.Op{Operand: t, Result: to, Args: [3]int{first}}, to != t
	}
	op := kernel.Neg + kernel.Op(r.IntN(int(kernel.NumOps-kernel.Neg)))
	if kernel.Generic(op, t, 0) == nil || r.IntN(20) > 0 && !isCompiled(op, t) {
		return jit.Op{}, false
	}
	o := jit.Op{Op: op, Operand: t, Result: kernel.ResultType(op, t)}
	for k := range op.NumOperands() {
		want := t
		if op == kernel.Where && k == 0 {
			want = dtype.Bool
		}
		v := first
		if k > 0 || want != t {
			v = latest()
		}
		for try := 0; typeOf(p, v) != want; try++ {
			if try > 20 {
				return jit.Op{}, false
			}
			v = latest()
		}
		o.Args[k] = v
	}
	// The sign of a NaN that operations make is not settled.
	if op == kernel.SignBit && o.Args[0] >= operands || op == kernel.CopySign && o.Args[1] >= operands {
		return jit.Op{}, false
	}
	return o, true
}

func isHalf(t dtype.Type) bool { return t == dtype.Float16 || t == dtype.BFloat16 }

// halfOps are those that there are kernels for which widen operands and round the result.
var halfOps = []kernel.Op{kernel.Add, kernel.Sub, kernel.Mul, kernel.Div, kernel.Min, kernel.Max}

// randomHalfOp returns such an operation on a value and another of its type.
func randomHalfOp(r *rand.Rand, p *jit.Program, first int) (jit.Op, bool) {
	t, second := typeOf(p, first), r.IntN(len(p.Inputs)+len(p.Scalars)+len(p.Ops))
	if typeOf(p, second) != t {
		second = first
	}
	return jit.Op{Op: halfOps[r.IntN(len(halfOps))], Operand: t, Result: t, Args: [3]int{first, second}}, true
}

var known = map[[2]int]bool{}

// isCompiled reports whether there is code for an operation.
func isCompiled(op kernel.Op, t dtype.Type) bool {
	key := [2]int{int(op), int(t)}
	if _, ok := known[key]; !ok {
		p := &jit.Program{Inputs: []dtype.Type{t, dtype.Float32}, Ops: []jit.Op{{Op: op, Operand: t, Result: kernel.ResultType(op, t)}, {Op: kernel.Neg, Operand: dtype.Float32, Result: dtype.Float32, Args: [3]int{1}}}, Outputs: []int{2, 3}}
		if op == kernel.Where {
			p.Inputs = append(p.Inputs, dtype.Bool)
			p.Ops[0].Args[0], p.Ops[1].Args[0], p.Outputs = 2, 1, []int{3, 4}
		}
		_, err := jit.Assemble("avx512", p)
		known[key] = err == nil
	}
	return known[key]
}

// specials are floats at the edges.
var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1),
	math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32,
	0x1p-126, 0x1p-1022, 65504, 65520, 0x1p-24, 127.5, 128, 255.5, 1 << 31, -1 << 31, 1 << 32, 1 << 53, 1 << 63, -1 << 63, 1 << 64, 2147483647, 88.8, -104, 709.7, -745.2, 9.1,
}

// fill sets the elements of b to numbers of all kinds.
func fill(r *rand.Rand, b []byte, t dtype.Type) {
	size := t.Size()
	for ; len(b) > 0; b = b[size:] {
		switch {
		case t == dtype.Bool:
			b[0] = byte(r.IntN(2))
			if r.IntN(8) == 0 {
				b[0] = byte(r.Uint32())
			}
		case r.IntN(3) == 0:
			dtype.ScalarOf(specials[r.IntN(len(specials))]).Convert(t).Store(b[:size])
		case r.IntN(2) == 0:
			dtype.ScalarOf(float64(r.IntN(41)-20) / 4).Convert(t).Store(b[:size])
		case r.IntN(2) == 0:
			dtype.ScalarOf(r.NormFloat64() * 50).Convert(t).Store(b[:size])
		default:
			for i := range size {
				b[i] = byte(r.Uint32())
			}
		}
	}
}

// reference computes the values of p, one after the other, by the kernels in Go.
func reference(p *jit.Program, inputs, scalars [][]byte, n int) [][]byte {
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
		for _, v := range o.Args[:numArgs(o)] {
			operands = append(operands, values[v])
		}
		values = append(values, referenceOp(o, operands, n))
	}
	return values
}

func numArgs(o *jit.Op) int {
	if o.Op == kernel.Invalid {
		return 1
	}
	return o.Op.NumOperands()
}

func referenceOp(o *jit.Op, operands [][]byte, n int) []byte {
	out := aligned(n * o.Result.Size())
	switch {
	case o.Op == kernel.Invalid:
		dtype.Convert(out, o.Result, operands[0], o.Operand)
	case isHalf(o.Operand):
		wide := jit.Op{Op: o.Op, Operand: dtype.Float32, Result: dtype.Float32}
		var widened [][]byte
		for _, b := range operands {
			w := aligned(4 * n)
			dtype.Convert(w, dtype.Float32, b, o.Operand)
			widened = append(widened, w)
		}
		dtype.Convert(out, o.Result, referenceOp(&wide, widened, n), dtype.Float32)
	default:
		var args [3]unsafe.Pointer
		for k, b := range operands {
			args[k] = unsafe.Pointer(unsafe.SliceData(b))
		}
		kernel.Call(kernel.Generic(o.Op, o.Operand, 0), unsafe.Pointer(unsafe.SliceData(out)), args[0], args[1], args[2], n)
	}
	return out
}

// aligned returns n bytes on a boundary of 64.
func aligned(n int) []byte {
	words := make([]uint64, n/8+16)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
	past := int(uintptr(unsafe.Pointer(&b[0])) % 64)
	return b[(64-past)%64:][:n:n]
}

// sameBits reports whether two elements are the same, or both NaN.
func sameBits(t dtype.Type, a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	if t.Kind() != dtype.KindFloat {
		return false
	}
	x, y := dtype.Load(t, a).Float64(), dtype.Load(t, b).Float64()
	return x != x && y != y
}
