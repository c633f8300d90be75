package compute_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

var workerCounts = []int{1, 2, 3, 7}

// int32s puts the numbers from start on over a layout.
func int32s(t *testing.T, l tensortest.Layout, start int) *view.Tensor {
	t.Helper()
	b := tensortest.Buffer(4*l.Span, l.Skew)
	for i := range l.Span {
		dtype.ScalarOf(int32(start + i*i%1009)).Store(b[4*i:])
	}
	return tensor(t, b, dtype.Int32, l)
}

// values returns the elements of x in C order.
func values[T dtype.Element](t *testing.T, x *view.Tensor) []T {
	t.Helper()
	all := make([]T, x.NumElems())
	if x.DType() == dtype.Bool { // true is any byte but 0
		bytes, err := view.FromSlice(make([]uint8, len(all)), x.Shape()...)
		if err != nil {
			t.Fatal(err)
		}
		defer bytes.Close()
		if err := view.Copy(t.Context(), bytes, x); err != nil {
			t.Fatal(err)
		}
		for i, v := range values[uint8](t, bytes) {
			all[i] = any(v == 1).(T)
		}
		return all
	}
	to, err := view.FromSlice(all, x.Shape()...)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if err := view.Copy(t.Context(), to, x); err != nil {
		t.Fatal(err)
	}
	return all
}

// Every layout as the destination, and as the source, beside others of its shape.
func TestApplyLayouts(t *testing.T) {
	layouts := tensortest.Layouts()
	layouts = append(layouts,
		tensortest.Layout{Name: "large", Shape: []int{300, 517}, Strides: []int{517, 1}, Span: 300 * 517},
		tensortest.Layout{Name: "large, transposed", Shape: []int{300, 517}, Strides: []int{1, 301}, Span: 301 * 517},
		tensortest.Layout{Name: "large, row", Shape: []int{300, 517}, Strides: []int{0, 1}, Span: 517, Repeats: true},
		tensortest.Layout{Name: "large, column", Shape: []int{300, 517}, Strides: []int{1, 0}, Span: 300, Repeats: true},
		tensortest.Layout{Name: "long", Shape: []int{100_001}, Strides: []int{1}, Span: 100_001, Skew: 2},
		tensortest.Layout{Name: "long, backwards", Shape: []int{100_001}, Strides: []int{-2}, Offset: 200_000, Span: 200_001},
		tensortest.Layout{Name: "short rows", Shape: []int{9001, 3}, Strides: []int{4, 1}, Span: 36004},
		tensortest.Layout{Name: "short rows, turned", Shape: []int{9001, 3}, Strides: []int{1, 9001}, Span: 27003},
	)
	for _, to := range layouts {
		if to.Repeats {
			continue
		}
		for _, from := range layouts {
			if !slices.Equal(to.Shape, from.Shape) {
				continue
			}
			t.Run(to.Name+" = "+from.Name, func(t *testing.T) {
				dst, a, b := int32s(t, to, 0), int32s(t, from, 5), int32s(t, to, 3)
				x, y := values[int32](t, a), values[int32](t, b)
				want := make([]int32, len(x))
				for i := range want {
					want[i] = 3*x[i] - y[i]
				}
				for _, workers := range []int{1, 3} {
					if err := view.Fill(t.Context(), dst, dtype.ScalarOf(int32(-1))); err != nil {
						t.Fatal(err)
					}
					err := compute.Apply2(t.Context(), dst, a, b, func(x, y int32) int32 { return 3*x - y }, &compute.Options{Parallelism: workers})
					if err != nil {
						t.Fatal(err)
					}
					if got := values[int32](t, dst); !slices.Equal(got, want) {
						t.Fatalf("elements %v, expected %v", got[:min(50, len(got))], want[:min(50, len(want))])
					}
				}
			})
		}
	}
}

// What lies between the elements of the destination stays.
func TestApplyLeavesGaps(t *testing.T) {
	whole := int32s(t, tensortest.Layout{Shape: []int{200, 300}, Strides: []int{300, 1}, Span: 60000}, 0)
	before := values[int32](t, whole)
	dst, err := whole.Slice("1:190:2, 3:-3:3")
	if err != nil {
		t.Fatal(err)
	}
	if err := compute.Apply(t.Context(), dst, dst, func(v int32) int32 { return v + 1 }, nil); err != nil {
		t.Fatal(err)
	}
	for i, v := range values[int32](t, whole) {
		row, col := i/300, i%300
		want := before[i]
		if row >= 1 && row < 190 && row%2 == 1 && col >= 3 && col < 297 && col%3 == 0 {
			want++
		}
		if v != want {
			t.Fatalf("element %d, %d is %d, expected %d", row, col, v, want)
		}
	}
}

func TestApplyAliased(t *testing.T) {
	for _, p := range tensortest.Aliased() {
		t.Run(p.Name, func(t *testing.T) {
			n := p.Span()
			b := tensortest.Buffer(4*n, 0)
			for i := range n {
				dtype.ScalarOf(int32(i + 1)).Store(b[4*i:])
			}
			dst, src := tensor(t, b, dtype.Int32, p.Dst), tensor(t, b, dtype.Int32, p.Src)
			want := values[int32](t, src)
			for i := range want {
				want[i] *= 2
			}
			if err := compute.Apply(t.Context(), dst, src, func(v int32) int32 { return 2 * v }, nil); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, values[int32](t, dst)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// One element of each type goes through its Go type, and three operands stretch.
func TestApplyTypes(t *testing.T) {
	t.Run("float16", applyType(func(v dtype.F16) float32 { return v.Float32() + 1 }))
	t.Run("bfloat16", applyType(func(v dtype.BF16) float32 { return v.Float32() * 2 }))
	t.Run("float8", applyType(func(v dtype.F8E4M3FN) dtype.F8E5M2 { return dtype.ToF8E5M2(v.Float32()) }))
	t.Run("bool", applyType(func(v bool) uint8 {
		if v {
			return 7
		}
		return 1
	}))
	t.Run("int8", applyType(func(v int8) bool { return v > 3 }))
	t.Run("uint64", applyType(func(v uint64) complex128 { return complex(float64(v), 1) }))
	t.Run("complex64", applyType(func(v complex64) complex64 { return v * 1i }))
	t.Run("complex128", applyType(func(v complex128) float64 { return imag(v) }))

	row := int32s(t, tensortest.Layout{Shape: []int{5}, Strides: []int{1}, Span: 5}, 1)
	column := int32s(t, tensortest.Layout{Shape: []int{4, 1}, Strides: []int{1, 1}, Span: 4}, 2)
	one := int32s(t, tensortest.Layout{Span: 1}, 9)
	dst := int32s(t, tensortest.Layout{Shape: []int{4, 5}, Strides: []int{5, 1}, Span: 20}, 0)
	if err := compute.Apply3(t.Context(), dst, row, column, one, func(a, b, c int32) int32 { return 100*a + 10*b + c }, nil); err != nil {
		t.Fatal(err)
	}
	var want []int32
	for _, c := range values[int32](t, column) {
		for _, r := range values[int32](t, row) {
			want = append(want, 100*r+10*c+9)
		}
	}
	if diff := cmp.Diff(want, values[int32](t, dst)); diff != "" {
		t.Error(diff)
	}
}

func applyType[S, D dtype.Element](fn func(S) D) func(t *testing.T) {
	return func(t *testing.T) {
		const n = 1000
		from, to := dtype.Of[S](), dtype.Of[D]()
		bytes := random(t, from, 1, n)
		if from == dtype.Bool {
			bytes[3] = 200
		}
		for name, src := range arrangements(t, bytes, from) {
			dst, err := view.FromSlice(make([]D, n), src.Shape()...)
			if err != nil {
				t.Fatal(err)
			}
			if err := compute.Apply(t.Context(), dst, src, fn, nil); err != nil {
				t.Fatal(name, err)
			}
			got := values[D](t, dst)
			for i, v := range values[S](t, src) {
				if a, b := dtype.ScalarOf(got[i]), dtype.ScalarOf(fn(v)); a != b {
					t.Fatalf("%s: element %d: %v to %v of %v, expected %v", name, i, a, to, v, b)
				}
			}
			if err := dst.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Copies of operands that overlap come from Options.Scratch, and are given back.
func TestApplyScratch(t *testing.T) {
	x := int32s(t, tensortest.Layout{Shape: []int{10}, Strides: []int{1}, Span: 10}, 0)
	back, err := x.Slice("::-1")
	if err != nil {
		t.Fatal(err)
	}
	want := values[int32](t, back)
	var made []*mmapstore.Storage
	o := &compute.Options{Scratch: func(size int64) (*mmapstore.Storage, error) {
		st, err := mmapstore.New(size)
		made = append(made, st)
		return st, err
	}}
	if err := compute.Apply(t.Context(), x, back, func(v int32) int32 { return v }, o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, values[int32](t, x)); diff != "" {
		t.Error(diff)
	}
	if len(made) != 1 {
		t.Fatalf("%d storages made, expected 1", len(made))
	}
	if _, err := made[0].Pin(); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("the copy has not been given back: %v", err)
	}
}

// The order in which accumulators meet shows in a result that is a text.
func TestReduce(t *testing.T) {
	for _, n := range []int{0, 1, 65_536, 65_537, 500_000} {
		bytes := random(t, dtype.Int16, 3, max(n, 1))[:2*n]
		tensors := map[string]*view.Tensor{"empty": tensor(t, nil, dtype.Int16, tensortest.Layout{Shape: []int{0}, Strides: []int{1}})}
		if n > 0 {
			tensors = arrangements(t, bytes, dtype.Int16)
		}
		first := ""
		for name, x := range tensors {
			sum := 0
			for _, v := range values[int16](t, x) {
				sum += int(v)
			}
			type state struct {
				text string
				sum  int
			}
			for _, workers := range workerCounts {
				got, err := compute.Reduce(t.Context(), x,
					func() state { return state{} },
					func(s state, v int16) state { return state{s.text, s.sum + int(v)} },
					func(a, b state) state {
						return state{fmt.Sprintf("(%s%d %s%d)", a.text, a.sum, b.text, b.sum), a.sum + b.sum}
					}, &compute.Options{Parallelism: workers})
				if err != nil {
					t.Fatal(err)
				}
				if first == "" {
					first = got.text
				}
				if got.sum != sum || got.text != first {
					t.Errorf("%d elements, %s, %d workers: sum %d, merges %q; expected %d, %q", n, name, workers, got.sum, got.text, sum, first)
				}
			}
		}
	}
}

func TestReduceBools(t *testing.T) {
	x := tensor(t, []byte{0, 1, 2, 255, 0}, dtype.Bool, tensortest.Layout{Shape: []int{5}, Strides: []int{1}, Span: 5})
	n, err := compute.Reduce(t.Context(), x, func() int { return 0 }, func(n int, v bool) int {
		if v == true {
			n++
		}
		return n
	}, func(a, b int) int { return a + b }, nil)
	if err != nil || n != 3 {
		t.Errorf("%d true elements, error %v; expected 3", n, err)
	}
}

func BenchmarkApply(b *testing.B) {
	x, y := benchTensor(b, dtype.Float32), benchTensor(b, dtype.Float32)
	b.Run("Apply/f32", func(b *testing.B) {
		b.SetBytes(2 * x.NumBytes())
		for b.Loop() {
			if err := compute.Apply(b.Context(), y, x, func(v float32) float32 { return v*v + 1 }, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("ApplyBlocks/f32", func(b *testing.B) {
		b.SetBytes(2 * x.NumBytes())
		for b.Loop() {
			err := compute.ApplyBlocks(b.Context(), y, x, func(d, s []float32) {
				for i, v := range s {
					d[i] = v*v + 1
				}
			}, nil)
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Reduce/f32", func(b *testing.B) {
		b.SetBytes(x.NumBytes())
		for b.Loop() {
			if _, err := compute.Reduce(b.Context(), x, func() float64 { return 0 }, func(a float64, v float32) float64 { return a + float64(v) }, func(a, b float64) float64 { return a + b }, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
