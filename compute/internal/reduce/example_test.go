package reduce_test

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

func ExampleEngine() {
	x := []float32{1, 2, 3, 4, 5, 6}
	means, most := make([]float32, 2), make([]int64, 2)
	var b machine.Builder
	value := b.Output(b.Input(dtype.Float32))
	spec := reduce.Spec{
		Shape: []int{2, 3}, Axes: []int{1}, Program: b.Program(),
		Inputs:  []exec.Operand{{Base: unsafe.Pointer(&x[0])}},
		Layouts: []plan.Operand{{Strides: []int{12, 4}, ElemSize: 4}},
		Reductions: []reduce.Reduction{
			{Op: reduce.Mean, Type: dtype.Float32, Value: value, Mask: -1, Out: unsafe.Slice((*byte)(unsafe.Pointer(&means[0])), 8)},
			{Op: reduce.ArgMax, Type: dtype.Float32, Value: value, Mask: -1, Out: unsafe.Slice((*byte)(unsafe.Pointer(&most[0])), 16)},
		},
	}
	engine, err := reduce.New(spec)
	if err == nil {
		err = exec.Run(context.Background(), engine, exec.Options{Parallelism: 2})
	}
	fmt.Println(means, most, err)
	// Output: [2 5] [2 2] <nil>
}
