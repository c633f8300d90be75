package jit_test

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// What this prints depends on the processor: [10 21 32], or that there is no code for it.
func Example() {
	// a·a + b
	program := &jit.Program{
		Inputs: []dtype.Type{dtype.Float64, dtype.Float64},
		Ops: []jit.Op{
			{Op: kernel.Mul, Operand: dtype.Float64, Result: dtype.Float64, Args: [3]int{0, 0}},
			{Op: kernel.Add, Operand: dtype.Float64, Result: dtype.Float64, Args: [3]int{2, 1}},
		},
		Outputs: []int{3},
	}
	code, err := jit.Compile(program)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, b, c := []float64{1, 2, 3}, []float64{9, 17, 23}, make([]float64, 3)
	constants := code.Constants(len(program.Scalars))
	code.Call([]unsafe.Pointer{
		unsafe.Pointer(unsafe.SliceData(constants)), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), unsafe.Pointer(&c[0]),
	}, len(c))
	fmt.Println(c)
}
