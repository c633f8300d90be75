package gemm_test

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/dtype"
)

func Example() {
	a, b, c := []float32{1, 2, 3, 4}, []float32{5, 6, 7, 8}, make([]float32, 4)
	rows := func(x []float32) gemm.Operand {
		return gemm.Operand{Base: unsafe.Pointer(&x[0]), Type: dtype.Float32, Row: 8, Col: 4}
	}
	job := gemm.New(gemm.Spec{M: 2, N: 2, K: 2, A: rows(a), B: rows(b), C: rows(c), Workers: 1})
	defer job.Close()
	fmt.Println(exec.Run(context.Background(), job, exec.Options{}), c)
	// Output: <nil> [19 22 43 50]
}
