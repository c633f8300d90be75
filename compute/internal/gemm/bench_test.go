package gemm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/dtype"
)

// BenchmarkSquare multiplies square matrices.
func BenchmarkSquare(b *testing.B) {
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64, dtype.Complex64} {
		for _, n := range []int{256, 2048} {
			for workers := 1; workers <= 2; workers++ {
				for _, how := range []string{"rows", "columns", "strided"} {
					b.Run(fmt.Sprintf("%v/%d/%s/%d", dt, n, how, workers), func(b *testing.B) {
						x, y, z := newMatrix(dt, how, n, n), newMatrix(dt, how, n, n), newMatrix(dt, "rows", n, n)
						random := rand.New(rand.NewPCG(1, 2))
						x.fill(random, false)
						y.fill(random, false)
						for b.Loop() {
							multiply(b, 0, x, y, z, workers, 1<<30)
						}
						b.ReportMetric(2*float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
					})
				}
			}
		}
	}
}
