package view_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func BenchmarkLayoutIndex(b *testing.B) {
	l := mustMake(b, []int{100, 100, 100}, []int{10000, 100, 1}, 0)
	for _, text := range []string{"5", "1:90:2", "1:90:2, 5, ::-1", "..., newaxis, 3"} {
		ix, err := view.ParseIndex(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Index(ix); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseIndex(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := view.ParseIndex("1:90:2, ..., ::-1"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	t := benchTensor(b, 100, dtype.Float32)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := t.Get(5, 7); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkArrayAt(b *testing.B) {
	a, err := view.As[float32](benchTensor(b, 100, dtype.Float32))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.At(5, 7); err != nil {
			b.Fatal(err)
		}
	}
}

// benchTensor returns an n×n tensor in C order, written once.
func benchTensor(b *testing.B, n int, dt dtype.Type) *view.Tensor {
	st, err := mmapstore.New(int64(n * n * dt.Size()))
	if err != nil {
		b.Fatal(err)
	}
	t := newTensor(b, st, dt, mustMake(b, []int{n, n}, []int{n, 1}, 0))
	if err := view.Fill(b.Context(), t, dtype.ScalarOf(1.0)); err != nil {
		b.Fatal(err)
	}
	return t
}

// BenchmarkCopy compares with memmove, the built-in copy.
func BenchmarkCopy(b *testing.B) {
	const n = 4096
	for _, dt := range []dtype.Type{dtype.Uint8, dtype.Float32, dtype.Float64} {
		dst, src := benchTensor(b, n, dt), benchTensor(b, n, dt)
		every, err := src.Slice("::2, ::2")
		if err != nil {
			b.Fatal(err)
		}
		quarter, err := dst.Slice(fmt.Sprintf(":%d, :%d", n/2, n/2))
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range []struct {
			name     string
			dst, src *view.Tensor
		}{
			{"contig", dst, src},
			{"transposed", dst, src.Transpose()},
			{"step", quarter, every},
		} {
			b.Run(fmt.Sprintf("%s/%s", dt, c.name), func(b *testing.B) {
				b.SetBytes(c.dst.NumBytes())
				b.ReportAllocs()
				for b.Loop() {
					if err := view.Copy(b.Context(), c.dst, c.src); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("%s/memmove", dt), func(b *testing.B) {
			to, from := make([]byte, dst.NumBytes()), make([]byte, dst.NumBytes())
			for i := range from {
				from[i], to[i] = 1, 2
			}
			b.SetBytes(dst.NumBytes())
			for b.Loop() {
				copy(to, from)
			}
		})
	}
}

func BenchmarkReader(b *testing.B) {
	t := benchTensor(b, 4096, dtype.Float32)
	for name, t := range map[string]*view.Tensor{"contig": t, "transposed": t.Transpose()} {
		b.Run("WriteTo/"+name, func(b *testing.B) {
			b.SetBytes(t.NumBytes())
			for b.Loop() {
				if _, err := t.Reader().WriteTo(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFill(b *testing.B) {
	t := benchTensor(b, 4096, dtype.Float32)
	b.SetBytes(t.NumBytes())
	for b.Loop() {
		if err := view.Fill(b.Context(), t, dtype.ScalarOf(2.5)); err != nil {
			b.Fatal(err)
		}
	}
}
