package view_test

import (
	"testing"
	"time"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// BenchmarkCopyRatio compares Copy with the built-in copy of as many bytes, in turns within each
// round. A metric is the best time of a case over the best time of what it is compared with, so
// that lower is better; for "step", which reads every other element, it is the time for each byte
// of the lines read against that for each byte of a plain Copy.
func BenchmarkCopyRatio(b *testing.B) {
	const n = 8192
	shape := []int{n, n}
	dst, to := packedTensor(b, shape, dtype.Float32)
	src, from := packedTensor(b, shape, dtype.Float32)
	for i := range from {
		from[i], to[i] = 1, 2
	}
	line, err := src.Flatten()
	if err != nil {
		b.Fatal(err)
	}
	step, err := line.Slice("::2")
	if err != nil {
		b.Fatal(err)
	}
	half, err := dst.Flatten()
	if err != nil {
		b.Fatal(err)
	}
	if half, err = half.Index(view.Index{view.Until(n * n / 2)}); err != nil {
		b.Fatal(err)
	}
	copyFn := func(dst, src *view.Tensor) func() {
		return func() {
			if err := view.Copy(b.Context(), dst, src); err != nil {
				b.Fatal(err)
			}
		}
	}
	move := best{fn: func() { copy(to, from) }}
	plain := best{fn: copyFn(dst, src)}
	turned := best{fn: copyFn(dst, src.Transpose())}
	every := best{fn: copyFn(half, step)}
	for b.Loop() {
		for _, c := range []*best{&move, &plain, &turned, &every} {
			c.measure()
		}
	}
	b.ReportMetric(plain.over(move), "contig/memmove")
	b.ReportMetric(turned.over(plain), "transposed/contig")
	b.ReportMetric(every.over(plain), "step/contig")
}

// best is the shortest time of several.
type best struct {
	fn func()
	d  time.Duration
}

func (m *best) measure() {
	start := time.Now()
	m.fn()
	if d := time.Since(start); m.d == 0 || d < m.d {
		m.d = d
	}
}

func (m *best) over(other best) float64 { return float64(m.d) / float64(other.d) }

// BenchmarkGather picks a quarter of the rows, columns and elements of a matrix in random order.
func BenchmarkGather(b *testing.B) {
	const n = 2048
	x := benchTensor(b, n, dtype.Float32)
	picked := make([]int, n/4)
	for i := range picked {
		picked[i] = i * 1237 % n
	}
	st, err := mmapstore.New(n * n)
	if err != nil {
		b.Fatal(err)
	}
	mask := newTensor(b, st, dtype.Bool, mustMake(b, []int{n, n}, []int{n, 1}, 0))
	quarter, err := mask.Slice("::2, ::2")
	if err != nil {
		b.Fatal(err)
	}
	if err := view.Fill(b.Context(), quarter, dtype.ScalarOf(true)); err != nil {
		b.Fatal(err)
	}
	for name, f := range map[string]view.Fancy{
		"rows":    {view.Ints(picked...)},
		"columns": {view.Basic(view.All()), view.Ints(picked...)},
		"mask":    {view.BoolArray(mask)},
	} {
		shape, err := view.FancyShape(b.Context(), x.Layout(), f)
		if err != nil {
			b.Fatal(err)
		}
		dst, _ := packedTensor(b, shape, dtype.Float32)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(dst.NumBytes())
			b.ReportAllocs()
			for b.Loop() {
				if err := view.Gather(b.Context(), dst, x, f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTensorIndex(b *testing.B) {
	x := benchTensor(b, 100, dtype.Float32)
	ix, err := view.ParseIndex("1:90:2, ::-1")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Index(ix); err != nil {
			b.Fatal(err)
		}
	}
}
