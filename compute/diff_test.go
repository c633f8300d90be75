package compute_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

var sameScalars = cmp.Comparer(func(a, b dtype.Scalar) bool { return a == b })

// slice is a tensor over values.
func slice[T dtype.Element](t *testing.T, values ...T) *view.Tensor {
	t.Helper()
	x, err := view.FromSlice(values)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func TestDiffRules(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	type opts = compute.DiffOptions
	for _, tt := range []struct {
		name   string
		a, b   *view.Tensor
		opts   opts
		differ []int // where
		maxAbs float64
		maxRel float64
	}{
		{"equal", slice(t, 1.0, 2), slice(t, 1.0, 2), opts{}, nil, 0, 0},
		{"zeros", slice(t, 0.0), slice(t, math.Copysign(0, -1)), opts{}, nil, 0, 0},
		{"exact", slice(t, 1.0, 2), slice(t, 1.0, 2.5), opts{}, []int{1}, 0.5, 0.2},
		{"absolute", slice(t, 1.0, 2, 3), slice(t, 1.25, 2.5, 4), opts{ATol: 0.5}, []int{2}, 1, 0.25},
		{"relative to b", slice(t, 5.0, 4), slice(t, 4.0, 5), opts{RTol: 0.2}, []int{0}, 1, 0.25},
		{"b zero", slice(t, 3.0), slice(t, 0.0), opts{RTol: 1e9}, []int{0}, 3, 0},
		{"denormal", slice(t, 5e-324), slice(t, 0.0), opts{}, []int{0}, 5e-324, 0},
		{"NaN", slice(t, nan, nan, 1), slice(t, nan, 1, nan), opts{ATol: inf}, []int{0, 1, 2}, 0, 0},
		{"equal NaN", slice(t, nan, nan, 1), slice(t, nan, 1, nan), opts{EqualNaN: true}, []int{1, 2}, 0, 0},
		{"same NaN bytes", slice(t, nan), slice(t, nan), opts{EqualNaN: true}, nil, 0, 0},
		{"infinities", slice(t, inf, -inf, 1, inf), slice(t, inf, inf, inf, 1), opts{RTol: 1, ATol: 1}, []int{1, 2, 3}, inf, inf},
		{"overflow", slice(t, math.MaxFloat64), slice(t, -math.MaxFloat64), opts{RTol: 1}, []int{0}, inf, inf},
		{"float32", slice[float32](t, 1, 2), slice[float32](t, 1, 4), opts{}, []int{1}, 2, 0.5},
		{"float16", slice(t, dtype.ToF16(1)), slice(t, dtype.ToF16(2)), opts{ATol: 1}, nil, 1, 0.5},
		{"mixed floats", slice[float32](t, 0.1), slice(t, 0.1), opts{}, []int{0}, float64(float32(0.1)) - 0.1, (float64(float32(0.1)) - 0.1) / 0.1},
		{"int and float", slice[int8](t, 1, 2), slice(t, 1.0, 2.5), opts{}, []int{1}, 0.5, 0.2},
		{"beyond 2^53", slice[int64](t, 1<<53), slice[int64](t, 1<<53+1), opts{}, []int{0}, 1, 1 / float64(1<<53)},
		{"int64 range", slice[int64](t, math.MinInt64), slice[int64](t, math.MaxInt64), opts{}, []int{0}, 0x1p64, 2},
		{"uint64 and int64", slice[uint64](t, math.MaxUint64, 1<<63, 5), slice[int64](t, -1, math.MinInt64, 5), opts{}, []int{0, 1}, 0x1p64, 0x1p64},
		{"uint64 above", slice[uint64](t, math.MaxUint64), slice[uint64](t, math.MaxUint64-1), opts{}, []int{0}, 1, 0x1p-64},
		{"uint64 and the lowest", slice[uint64](t, math.MaxUint64), slice[int64](t, math.MinInt64), opts{RTol: 3}, nil, 0x1.8p64, 3},
		{"int tolerance", slice[int16](t, 10, -10, 0), slice[int16](t, 12, -13, 0), opts{ATol: 2}, []int{1}, 3, 3.0 / 13},
		{"bool", slice(t, true, false), slice(t, true, true), opts{}, []int{1}, 1, 1},
		{"bool and int", slice(t, true, false), slice[int8](t, 1, -1), opts{}, []int{1}, 1, 1},
		{"complex", slice(t, 3+4i, 1), slice(t, 0i, 1), opts{ATol: 4.9}, []int{0}, 5, 0},
		{"complex and float", slice[complex64](t, 1+1i, 2), slice[float32](t, 1, 2), opts{}, []int{0}, 1, 1},
		{"complex NaN", slice(t, complex(nan, 0), complex(nan, 1)), slice(t, complex(0, nan), 1), opts{EqualNaN: true}, []int{1}, 0, 0},
		{"complex infinity", slice(t, complex(inf, 1)), slice(t, complex(inf, 2)), opts{ATol: 5}, []int{0}, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := compute.Diff(t.Context(), tt.a, tt.b, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			want := compute.Difference{Compared: tt.a.NumElems(), Count: len(tt.differ), MaxAbs: tt.maxAbs, MaxRel: tt.maxRel}
			for _, i := range tt.differ {
				a, err1 := tt.a.Get(i)
				b, err2 := tt.b.Get(i)
				if err := errors.Join(err1, err2); err != nil {
					t.Fatal(err)
				}
				want.First = append(want.First, compute.Mismatch{Index: []int{i}, A: a, B: b})
			}
			if diff := cmp.Diff(want, got, sameScalars); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestDiffLayouts changes each element of each layout in turn.
func TestDiffLayouts(t *testing.T) {
	for _, l := range tensortest.Layouts() {
		if l.NumElems() > 300 {
			continue
		}
		for _, dt := range dtype.All() {
			b := tensortest.Buffer(l.Span*dt.Size(), l.Skew)
			x := tensor(t, b, dt, l)
			changed := tensortest.Buffer(l.NumElems()*dt.Size(), 0)
			y := tensor(t, changed, dt, packedLayout(l.Shape))
			for i := range l.NumElems() {
				dtype.ScalarOf(1.0).Convert(dt).Store(changed[i*dt.Size():])
				got, err := compute.Diff(t.Context(), x, y, compute.DiffOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if len(got.First) != 1 || got.Count != 1 || got.Compared != l.NumElems() || got.MaxAbs != 1 || got.MaxRel != 1 {
					t.Fatalf("%s of %v: %+v", l.Name, dt, got)
				}
				if pos, err := y.Layout().Pos(got.First[0].Index...); err != nil || pos != i {
					t.Errorf("%s of %v: found at %v, want number %d", l.Name, dt, got.First[0].Index, i)
				}
				clear(changed[i*dt.Size() : (i+1)*dt.Size()])
			}
		}
	}
}

// packedLayout is the C-order layout of a shape.
func packedLayout(shape []int) tensortest.Layout {
	strides, n := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= shape[i]
	}
	return tensortest.Layout{Shape: shape, Strides: strides}
}

// TestDiffOrder finds the first differences of several chunks with any number of workers.
func TestDiffOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n = 5 << 16
	a, b := make([]int16, n), make([]int16, n)
	var places []int
	for i := 70_001; i < n; i += 10_007 {
		b[i] = int16(i&7 + 1)
		places = append(places, i)
	}
	x, y := slice(t, a...), slice(t, b...)
	for _, tt := range []struct{ limit, listed int }{{0, 10}, {-1, 0}, {3, 3}, {1000, len(places)}} {
		for _, workers := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(workers)
			got, err := compute.Diff(t.Context(), x, y, compute.DiffOptions{Limit: tt.limit})
			if err != nil {
				t.Fatal(err)
			}
			var found []int
			for _, m := range got.First {
				found = append(found, m.Index...)
			}
			if diff := cmp.Diff(places[:tt.listed:tt.listed], append([]int{}, found...)); diff != "" || got.Count != len(places) {
				t.Errorf("limit %d, %d workers: %d differ (-want +got):\n%s", tt.limit, workers, got.Count, diff)
			}
		}
	}
}

func TestDiffErrors(t *testing.T) {
	x, y := slice[float32](t, 1, 2, 3), slice[float32](t, 1, 2)
	_, err := compute.Diff(t.Context(), x, y, compute.DiffOptions{})
	var shapes *view.ShapeError
	if !errors.As(err, &shapes) || !cmp.Equal(shapes.Want, []int{3}) || !cmp.Equal(shapes.Got, []int{2}) {
		t.Errorf("other shapes: %v", err)
	}
	for _, o := range []compute.DiffOptions{{RTol: -1}, {ATol: math.NaN()}} {
		if _, err := compute.Diff(t.Context(), x, x, o); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := compute.Diff(ctx, x, x, compute.DiffOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, closedFirst := range []bool{true, false} {
		closed := slice[float32](t, 1, 2, 3)
		if err := closed.Close(); err != nil {
			t.Fatal(err)
		}
		a, b := closed, x
		if !closedFirst {
			a, b = x, closed
		}
		if _, err := compute.Diff(t.Context(), a, b, compute.DiffOptions{}); !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	}
}
