package machine_test

import (
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/dtype"
)

// BenchmarkEval computes one block of float32 elements again and again, all of them in the first
// cache.
func BenchmarkEval(b *testing.B) {
	for _, e := range longExpressions() {
		b.Run(e.name, func(b *testing.B) { benchEval(b, e.build, elem) })
	}
	b.Run("sum with a row and a column", func(b *testing.B) {
		benchEval(b, func(b *machine.Builder, x, y machine.Value) machine.Value {
			return b.Op(kernel.Add, b.Op(kernel.Add, x, y), b.Input(dtype.Float32))
		}, elem)
	})
}

// benchEval evaluates a program over x, y and one scalar if it adds another input.
func benchEval(b *testing.B, build func(b *machine.Builder, x, y machine.Value) machine.Value, inner int) {
	var builder machine.Builder
	builder.Output(build(&builder, builder.Input(dtype.Float32), builder.Input(dtype.Float32)))
	p := builder.Program()
	n := p.SmallBlockElems()
	x, y, out := floats(n), floats(n), floats(n)
	column := float32(3)
	inputs := []machine.Input{{Base: unsafe.Pointer(&x[0]), Inner: inner}, {Base: unsafe.Pointer(&y[0]), Inner: inner}, {Base: unsafe.Pointer(&column)}}
	w := p.NewWorker(inputs, []machine.Target{{Base: unsafe.Pointer(&out[0]), Inner: elem}})
	at := make([]int, len(inputs)+1)
	b.SetBytes(int64(3 * n * elem))
	b.ReportAllocs()
	for b.Loop() {
		w.Eval(at, 1, n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())*1000/float64(b.N)/float64(n), "ps/elem")
	b.ReportMetric(float64(p.NumOperations()), "kernels")
}

// floats returns elements from 1 to 2.
func floats(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 1 + float32(i)/float32(n)
	}
	return x
}
