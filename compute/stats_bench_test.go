package compute_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

// benchTensor is a tensor of 256 MiB of random elements.
func benchTensor(b *testing.B, dt dtype.Type) *view.Tensor {
	b.Helper()
	const size = 256 << 20
	g, err := compute.Random(dt, 1)
	if err != nil {
		b.Fatal(err)
	}
	buf := tensortest.Buffer(size, 0)
	if _, err := g.ReadAt(buf, 0); err != nil {
		b.Fatal(err)
	}
	n := size / dt.Size()
	return tensor(b, buf, dt, tensortest.Layout{Shape: []int{n}, Strides: []int{1}})
}

// BenchmarkStats compares Stats with a plain read of the same memory: ratio is time over time.
func BenchmarkStats(b *testing.B) {
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64, dtype.Int32, dtype.Int64, dtype.Float16} {
		b.Run(dt.String()+"/256MiB", func(b *testing.B) {
			x := benchTensor(b, dt)
			plain := min(readAll(b, x), readAll(b, x), readAll(b, x))
			b.SetBytes(x.NumBytes())
			b.ReportAllocs()
			for b.Loop() {
				if _, err := compute.Stats(b.Context(), x); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(plain.Nanoseconds()), "ratio")
		})
	}
}

// readAll touches every word once, in one goroutine, and says how long that took.
func readAll(b *testing.B, x *view.Tensor) time.Duration {
	sum, start := uint64(0), time.Now()
	err := x.Storage().With(func(p []byte) error {
		for ; len(p) >= 32; p = p[32:] {
			sum += binary.LittleEndian.Uint64(p) + binary.LittleEndian.Uint64(p[8:]) +
				binary.LittleEndian.Uint64(p[16:]) + binary.LittleEndian.Uint64(p[24:])
		}
		return nil
	})
	if err != nil || sum == 0 {
		b.Fatal(sum, err)
	}
	return time.Since(start)
}

func BenchmarkDiff(b *testing.B) {
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Int32} {
		b.Run(dt.String()+"/256MiB", func(b *testing.B) {
			x, y := benchTensor(b, dt), benchTensor(b, dt)
			b.SetBytes(2 * x.NumBytes())
			b.ReportAllocs()
			for b.Loop() {
				if d, err := compute.Diff(b.Context(), x, y, compute.DiffOptions{}); err != nil || d.Count != 0 {
					b.Fatal(d, err)
				}
			}
		})
	}
}
