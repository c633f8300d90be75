// Package jittest makes random programs for tests of what compiles programs of package jit, and
// computes what they mean.
package jittest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A Generator makes random programs.
type Generator struct {
	// Types are those of operands and of conversions, the more likely the more often they are there.
	Types []dtype.Type
	// Compiles reports whether there is code for an operation on operands of a type. Few programs
	// have others.
	Compiles func(op kernel.Op, t dtype.Type) bool
}

// Program returns a program of some operations. It may be one that can't be compiled.
func (g *Generator) Program(r *rand.Rand) *jit.Program {
	p := &jit.Program{}
	few := g.Types
	if r.IntN(3) > 0 {
		few = []dtype.Type{g.Types[r.IntN(len(g.Types))], dtype.Float32, dtype.Float64}[:1+r.IntN(3)]
	}
	for range 1 + r.IntN(3) {
		p.Inputs = append(p.Inputs, few[r.IntN(len(few))])
	}
	for range r.IntN(3) {
		p.Scalars = append(p.Scalars, few[r.IntN(len(few))])
	}
	for range 1 + r.IntN(12) {
		if o, ok := g.op(r, p); ok {
			p.Ops = append(p.Ops, o)
		}
	}
	if len(p.Ops) == 0 {
		return g.Program(r)
	}

	operands := len(p.Inputs) + len(p.Scalars)
	p.Outputs = []int{operands + len(p.Ops) - 1}
	for r.IntN(4) == 0 {
		p.Outputs = append(p.Outputs, operands+r.IntN(len(p.Ops)))
	}
	p.Stream = r.IntN(4) == 0
	return p
}

// op returns an operation on values that p has.
func (g *Generator) op(r *rand.Rand, p *jit.Program) (jit.Op, bool) {
	operands := len(p.Inputs) + len(p.Scalars)
	values := operands + len(p.Ops)
	latest := func() int { return max(r.IntN(values), r.IntN(values)) }
	first := latest()
	t := p.TypeOf(first)
	if isSmall(t) && r.IntN(2) == 0 {
		return randomSmallOp(r, p, first)
	}
	if r.IntN(8) == 0 || isSmall(t) {
		to := g.Types[r.IntN(len(g.Types))]
		return jit.Op{Operand: t, Result: to, Args: [3]int{first}}, to != t
	}

	op := kernel.Neg + kernel.Op(r.IntN(int(kernel.NumOps-kernel.Neg)))
	if kernel.Generic(op, t, 0) == nil || r.IntN(20) > 0 && !g.Compiles(op, t) {
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
		for try := 0; p.TypeOf(v) != want; try++ {
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

// isSmall reports whether t is a float that is computed in float32.
func isSmall(t dtype.Type) bool { return t.Kind() == dtype.KindFloat && t.Size() < 4 }

// smallOps are those that there are kernels for which widen operands and round the result.
var smallOps = []kernel.Op{kernel.Add, kernel.Sub, kernel.Mul, kernel.Div, kernel.Min, kernel.Max}

// randomSmallOp returns such an operation on a value and another of its type.
func randomSmallOp(r *rand.Rand, p *jit.Program, first int) (jit.Op, bool) {
	t, second := p.TypeOf(first), r.IntN(len(p.Inputs)+len(p.Scalars)+len(p.Ops))
	if p.TypeOf(second) != t {
		second = first
	}
	return jit.Op{Op: smallOps[r.IntN(len(smallOps))], Operand: t, Result: t, Args: [3]int{first, second}}, true
}

// specials are floats at the edges.
var specials = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1),
	math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32,
	0x1p-126, 0x1p-1022, 65504, 65520, 0x1p-24, 127.5, 128, 255.5, 1 << 31, -1 << 31, 1 << 32, 1 << 53, 1 << 63, -1 << 63, 1 << 64, 2147483647, 88.8, -104, 709.7, -745.2, 9.1,
}

// Fill sets the elements of b to numbers of all kinds.
func Fill(r *rand.Rand, b []byte, t dtype.Type) {
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

// Aligned returns n bytes on a boundary of 64.
func Aligned(n int) []byte {
	words := make([]uint64, n/8+16)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(words)*8)
	past := int(uintptr(unsafe.Pointer(&b[0])) % 64)
	return b[(64-past)%64:][:n:n]
}

// SameBits reports whether two elements are the same, or NaN in the same parts.
func SameBits(t dtype.Type, a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	switch t {
	case dtype.Complex64:
		return SameBits(dtype.Float32, a[:4], b[:4]) && SameBits(dtype.Float32, a[4:], b[4:])
	case dtype.Complex128:
		return SameBits(dtype.Float64, a[:8], b[:8]) && SameBits(dtype.Float64, a[8:], b[8:])
	}
	if t.Kind() != dtype.KindFloat {
		return false
	}
	x, y := dtype.Load(t, a).Float64(), dtype.Load(t, b).Float64()
	return x != x && y != y
}

// List prints a program.
func List(p *jit.Program) string {
	var text strings.Builder
	fmt.Fprintf(&text, "inputs %v, scalars %v\n", p.Inputs, p.Scalars)
	for i, o := range p.Ops {
		name := fmt.Sprint(o.Op)
		if o.Op == kernel.Invalid {
			name = "convert"
		}
		fmt.Fprintf(&text, "v%d %v = %s(%v) %v\n", len(p.Inputs)+len(p.Scalars)+i, o.Result, name, o.Operand, o.Args)
	}
	fmt.Fprintf(&text, "outputs %v, stream %v", p.Outputs, p.Stream)
	return text.String()
}

// OperandsAt prints the operands of one element.
func OperandsAt(p *jit.Program, inputs, scalars [][]byte, i int) string {
	var text strings.Builder
	for k, t := range p.Inputs {
		fmt.Fprintf(&text, " %x", inputs[k][i*t.Size():][:t.Size()])
	}
	for _, s := range scalars {
		fmt.Fprintf(&text, " scalar %x", s)
	}
	return text.String()
}
