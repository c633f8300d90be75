package reduce_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

var benchBytes = flag.Int("reduce.bytes", 256<<20, "bytes that benchmarks reduce, a power of 4")

// benchData returns the elements of benchmarks: small numbers of type t.
var benchData = func() func(t dtype.Type) []byte {
	all := map[dtype.Type][]byte{}
	return func(t dtype.Type) []byte {
		if b, ok := all[t]; ok {
			return b
		}
		clear(all)
		b := make([]byte, *benchBytes)
		for i := 0; i < 4096; i += t.Size() {
			dtype.ScalarOf(float64(i*7%113) / 8).Convert(t).Store(b[i : i+t.Size()])
		}
		for n := 4096; n < len(b); n *= 2 {
			copy(b[n:], b[:n])
		}
		all[t] = b
		return b
	}
}()

func benchName(bytes int) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%dGiB", bytes>>30)
	}
	return fmt.Sprintf("%dMiB", bytes>>20)
}

// read sums the words of data, as fast as a kernel can: what the others are compared with.
func read(data []byte, workers int) {
	fold := kernel.LookupFold(kernel.FoldSum, dtype.Int64)
	var group sync.WaitGroup
	share := len(data) / workers
	for i := range workers {
		group.Go(func() {
			var acc [32]int64
			for at := i * share; at < (i+1)*share; at += 1 << 20 {
				kernel.CallFold(fold, unsafe.Pointer(&acc), nil, unsafe.Pointer(&data[at]), 256, 1<<12, 32)
			}
		})
	}
	group.Wait()
}

// benchmark reduces data seen as some shape and strides, in elements.
func benchmark(b *testing.B, t dtype.Type, shape, strides, axes []int, ops ...reduce.Op) {
	data := benchData(t)
	var p machine.Builder
	v := p.Input(t)
	if t != register(t) {
		v = p.Convert(v, register(t))
	}
	p.Output(v)
	outputs := 1
	for axis, size := range shape {
		kept := true
		for _, a := range axes {
			kept = kept && a != axis
		}
		if kept {
			outputs *= size
		}
	}
	s := reduce.Spec{
		Shape: shape, Axes: axes, Program: p.Program(),
		Inputs:  []exec.Operand{{Base: unsafe.Pointer(&data[0])}},
		Layouts: []plan.Operand{{Strides: scaled(strides, t.Size()), ElemSize: t.Size()}},
	}
	for _, op := range ops {
		s.Reductions = append(s.Reductions, reduce.Reduction{Op: op, Type: t, Mask: -1, Out: make([]byte, outputs*reduce.ResultType(op, t).Size())})
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("%s/workers=%d", benchName(len(data)), workers), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			limit, best := time.Hour, time.Hour
			for b.Loop() {
				b.StopTimer()
				start := time.Now()
				read(data, workers)
				limit = min(limit, time.Since(start))
				b.StartTimer()
				start = time.Now()
				e, err := reduce.New(s)
				if err == nil {
					err = exec.Run(context.Background(), e, exec.Options{Parallelism: workers})
				}
				if err != nil {
					b.Fatal(err)
				}
				best = min(best, time.Since(start))
			}
			b.ReportMetric(best.Seconds()/limit.Seconds(), "x-limit")
		})
	}
}

// side returns the rows and columns of a square of the elements of benchmarks.
func side(t dtype.Type) int {
	n := 1
	for n*n*t.Size() < *benchBytes {
		n *= 2
	}
	return n
}

func BenchmarkReduce(b *testing.B) {
	for _, t := range []dtype.Type{dtype.Float32, dtype.Float64, dtype.Int32, dtype.Float16} {
		n := *benchBytes / t.Size()
		for _, op := range []reduce.Op{reduce.Sum, reduce.Min, reduce.Max, reduce.Mean, reduce.Var, reduce.Norm, reduce.ArgMax, reduce.CountNonzero} {
			if t != dtype.Float32 && t != dtype.Float64 && op != reduce.Sum && op != reduce.Max {
				continue
			}
			b.Run(fmt.Sprintf("%v/%v/contig", op, t), func(b *testing.B) { benchmark(b, t, []int{n}, []int{1}, []int{0}, op) })
		}
		rows := side(t)
		cols := n / rows
		b.Run(fmt.Sprintf("sum/%v/axis0", t), func(b *testing.B) {
			benchmark(b, t, []int{rows, cols}, []int{cols, 1}, []int{0}, reduce.Sum)
		})
		b.Run(fmt.Sprintf("sum/%v/axis1", t), func(b *testing.B) {
			benchmark(b, t, []int{rows, cols}, []int{cols, 1}, []int{1}, reduce.Sum)
		})
		b.Run(fmt.Sprintf("sum/%v/step4", t), func(b *testing.B) {
			benchmark(b, t, []int{n / 4}, []int{4}, []int{0}, reduce.Sum)
		})
	}
	t, n := dtype.Float32, *benchBytes/4
	b.Run("min+max/float32/contig", func(b *testing.B) { benchmark(b, t, []int{n}, []int{1}, []int{0}, reduce.Min, reduce.Max) })
	b.Run("mean+std/float32/contig", func(b *testing.B) { benchmark(b, t, []int{n}, []int{1}, []int{0}, reduce.Mean, reduce.Std) })
	for _, cols := range []int{4, 16, 64, 256, 1024} {
		b.Run(fmt.Sprintf("sum/float32/axis0/cols=%d", cols), func(b *testing.B) {
			benchmark(b, t, []int{n / cols, cols}, []int{cols, 1}, []int{0}, reduce.Sum)
		})
		b.Run(fmt.Sprintf("sum/float32/axis1/cols=%d", cols), func(b *testing.B) {
			benchmark(b, t, []int{n / cols, cols}, []int{cols, 1}, []int{1}, reduce.Sum)
		})
	}
	rows := side(t)
	b.Run("min/float32/axis0", func(b *testing.B) { benchmark(b, t, []int{rows, n / rows}, []int{n / rows, 1}, []int{0}, reduce.Min) })
	b.Run("var/float32/axis0", func(b *testing.B) { benchmark(b, t, []int{rows, n / rows}, []int{n / rows, 1}, []int{0}, reduce.Var) })
	b.Run("argmax/float32/axis0", func(b *testing.B) {
		benchmark(b, t, []int{rows, n / rows}, []int{n / rows, 1}, []int{0}, reduce.ArgMax)
	})
}

// BenchmarkLayouts reduces matrices in C order, in Fortran order, with steps and with gaps between
// rows.
func BenchmarkLayouts(b *testing.B) {
	for _, t := range []dtype.Type{dtype.Float32, dtype.Float64} {
		rows := side(t)
		cols := *benchBytes / t.Size() / rows
		for _, op := range []reduce.Op{reduce.Sum, reduce.Var, reduce.Prod, reduce.Min, reduce.LogSumExp} {
			for name, axes := range map[string][]int{"all": {0, 1}, "axis0": {0}, "axis1": {1}} {
				for _, l := range []struct {
					name    string
					shape   []int
					strides []int
				}{
					{"C", []int{rows, cols}, []int{cols, 1}},
					{"F", []int{rows, cols}, []int{1, rows}},
					{"step2", []int{rows, cols / 2}, []int{cols, 2}},
					{"gaps", []int{rows, cols - 8}, []int{cols, 1}},
				} {
					b.Run(fmt.Sprintf("%v/%v/%s/%s", op, t, name, l.name), func(b *testing.B) { benchmark(b, t, l.shape, l.strides, axes, op) })
				}
			}
		}
	}
}
