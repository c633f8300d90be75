package jit_test

import (
	"bytes"
	"math"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// TestFunctions compares the functions of one float on arguments from everywhere with those in Go.
func TestFunctions(t *testing.T) {
	needCode(t)
	const n = 1 << 18
	args32, args64 := make([]float32, n), make([]float64, 2*n)
	for i := range n {
		args32[i] = math.Float32frombits(uint32(i) * (math.MaxUint32/n + 1))
		args64[i] = (float64(i)/n - 0.5) * 1500
		args64[n+i] = math.Float64frombits(uint64(i) * (math.MaxUint64/n + 1))
	}
	for op := kernel.Neg; op < kernel.Add; op++ {
		compareFunction(t, op, dtype.Float32, unsafe.Pointer(&args32[0]), len(args32))
		compareFunction(t, op, dtype.Float64, unsafe.Pointer(&args64[0]), len(args64))
	}
}

// compareFunction compares what machine code for each instruction set makes of n arguments with
// what the kernel in Go does.
func compareFunction(t *testing.T, op kernel.Op, typ dtype.Type, x unsafe.Pointer, n int) {
	t.Helper()
	if kernel.ResultType(op, typ) != typ {
		return
	}
	var want []byte
	for _, isa := range jit.ISAs() {
		code, err := jit.CompileFor(isa, &jit.Program{Inputs: []dtype.Type{typ}, Ops: []jit.Op{{Op: op, Operand: typ, Result: typ}}, Outputs: []int{1}})
		if err != nil {
			continue
		}
		got := jittest.Aligned(n * typ.Size())
		if want == nil {
			want = jittest.Aligned(n * typ.Size())
			kernel.Call(kernel.Generic(op, typ, 0), unsafe.Pointer(&want[0]), x, nil, nil, n)
		}
		constants := code.Constants(0)
		code.Call([]unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(constants)), x, unsafe.Pointer(&got[0])}, n)
		if i := firstOther(typ, got, want); i >= 0 {
			size := typ.Size()
			t.Errorf("%v of %v for %s: argument %d gives %x, want %x", op, typ, isa, i, got[i*size:][:size], want[i*size:][:size])
		}
	}
}

// firstOther returns the first element that has other bits, but for NaNs; -1 if there is none.
func firstOther(typ dtype.Type, got, want []byte) int {
	const block = 512 // of which most are equal
	for first := 0; first < len(got); first += block {
		end := min(first+block, len(got))
		if bytes.Equal(got[first:end], want[first:end]) {
			continue
		}
		for i := first; i < end; i += typ.Size() {
			if !jittest.SameBits(typ, got[i:i+typ.Size()], want[i:i+typ.Size()]) {
				return i / typ.Size()
			}
		}
	}
	return -1
}
