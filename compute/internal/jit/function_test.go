package jit_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// TestFunctions compares the functions of one float on arguments from everywhere with those in Go.
func TestFunctions(t *testing.T) {
	forEachISA(t, testFunctions)
}

func testFunctions(t *testing.T, isa string) {
	n := 1 << 18
	if testing.Short() {
		n = 1 << 14
	}
	args32, args64 := make([]float32, n), make([]float64, n)
	for i := range n {
		args32[i] = math.Float32frombits(uint32(i) * uint32(1<<32/n))
		args64[i] = (float64(i)/float64(n) - 0.5) * 1500
		if i%2 == 0 {
			args64[i] = math.Float64frombits(uint64(i) * (math.MaxUint64/uint64(n) + 1))
		}
	}
	for op := kernel.Neg; op < kernel.Add; op++ {
		for typ, x := range map[dtype.Type]unsafe.Pointer{dtype.Float32: unsafe.Pointer(&args32[0]), dtype.Float64: unsafe.Pointer(&args64[0])} {
			if kernel.ResultType(op, typ) != typ {
				continue
			}
			code, err := jit.CompileFor(isa, &jit.Program{Inputs: []dtype.Type{typ}, Ops: []jit.Op{{Op: op, Operand: typ, Result: typ}}, Outputs: []int{1}})
			if err != nil {
				continue
			}
			size := typ.Size()
			got, want := aligned(n*size), aligned(n*size)
			constants := code.Constants(0)
			code.Call([]unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(constants)), x, unsafe.Pointer(&got[0])}, n)
			kernel.Call(kernel.Generic(op, typ, 0), unsafe.Pointer(&want[0]), x, nil, nil, nil, n)
			for i := 0; i < n*size; i += size {
				if !sameBits(typ, got[i:i+size], want[i:i+size]) {
					t.Errorf("%v of %v: argument %d gives %x, want %x", op, typ, i/size, got[i:i+size], want[i:i+size])
					break
				}
			}
		}
	}
}
