package kernel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// BenchmarkMath runs the transcendental functions of every instruction set over ordinary arguments.
func BenchmarkMath(b *testing.B) {
	const n = 2048
	x, y := make([]float32, n), make([]float32, n)
	u, v := make([]float64, n), make([]float64, n)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range x {
		u[i] = 1 / (rng.Float64() + 0.01)
		x[i] = float32(u[i])
	}
	for _, r := range references {
		for isa, fn := range kernelsOf(r.op, dtype.Float32) {
			b.Run(fmt.Sprintf("%v/float32/%s", r.op, isa), func(b *testing.B) {
				benchMath(b, n, func() { kernel.Call(fn, pointer(y), pointer(x), nil, nil, n) })
			})
		}
		for isa, fn := range kernelsOf(r.op, dtype.Float64) {
			b.Run(fmt.Sprintf("%v/float64/%s", r.op, isa), func(b *testing.B) {
				benchMath(b, n, func() { kernel.Call(fn, pointer(v), pointer(u), nil, nil, n) })
			})
		}
	}
	for _, r := range references2 {
		for isa, fn := range kernelsOf(r.op, dtype.Float32) {
			b.Run(fmt.Sprintf("%v/float32/%s", r.op, isa), func(b *testing.B) {
				benchMath(b, n, func() { kernel.Call(fn, pointer(y), pointer(x), pointer(x), nil, n) })
			})
		}
		for isa, fn := range kernelsOf(r.op, dtype.Float64) {
			b.Run(fmt.Sprintf("%v/float64/%s", r.op, isa), func(b *testing.B) {
				benchMath(b, n, func() { kernel.Call(fn, pointer(v), pointer(u), pointer(u), nil, n) })
			})
		}
	}
}

func benchMath(b *testing.B, n int, call func()) {
	for b.Loop() {
		call()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())*1000/float64(b.N)/float64(n), "ps/elem")
}
