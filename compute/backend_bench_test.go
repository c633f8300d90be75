package compute_test

import (
	"fmt"
	"testing"

	"github.com/tstore/tstore/compute"
)

// BenchmarkBackend plans and computes an expression of few elements, each time anew.
func BenchmarkBackend(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		operands := names{"a": array(b, make([]float32, n)), "b": array(b, make([]float32, n))}
		e, err := compute.Parse("((a + b)*(a - b) + 2*a)/(b*b + 1) - a*b")
		if err != nil {
			b.Fatal(err)
		}
		for _, backend := range []compute.Backend{compute.BackendKernels, compute.BackendAuto} {
			b.Run(fmt.Sprintf("elems=%d/%v", n, backend), func(b *testing.B) {
				b.SetBytes(int64(3 * 4 * n))
				b.ReportAllocs()
				for b.Loop() {
					result, err := e.Eval(b.Context(), operands.env(), &compute.Options{Backend: backend})
					if err != nil {
						b.Fatal(err)
					}
					if err := result.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
