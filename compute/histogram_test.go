package compute_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

// binOf is the definition: the bin whose lower edge v reaches, and upper edge it does not, or only
// in the last one.
func binOf(v float64, edges []float64) int {
	last := len(edges) - 2
	for i := range last + 1 {
		if v >= edges[i] && (v < edges[i+1] || i == last && v == edges[i+1]) {
			return i
		}
	}
	return -1
}

// float64s returns the elements of x in C order.
func float64s(t *testing.T, x *view.Tensor) []float64 {
	t.Helper()
	all := make([]float64, x.NumElems())
	to, err := view.FromSlice(all, x.Shape()...)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(view.Copy(t.Context(), to, x), to.Close()); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestHistogram(t *testing.T) {
	const n = 70_035
	for _, dt := range dtype.All() {
		if dt.Kind() == dtype.KindComplex || !*compute.Long && dt != dtype.Int16 && dt != dtype.Float16 && dt != dtype.Float64 {
			continue
		}
		special := []float64{0, 1, 0.5, 0.1, 0.7, -3}
		if dt.Kind() == dtype.KindFloat {
			special = append(special, math.NaN())
		}
		if dt == dtype.Float32 || dt == dtype.Float64 {
			special = append(special, math.Inf(1), math.Inf(-1))
		}
		data := random(t, dt, 2, n, special...)
		all := arrangements(t, data, dt)
		for _, bins := range []compute.Bins{
			{Range: &[2]float64{0, 1}},
			{Count: 100, Range: &[2]float64{-2, 3}},
			{Count: 7, Range: &[2]float64{0.5, 0.5}},
			{Count: 3, Range: &[2]float64{1e15, 1e15 + 2}}, // closer than multiplication can tell
			{Edges: []float64{-1, 0, 0, 0.1, 0.5, 200}},
			{Edges: []float64{math.Inf(-1), 0, math.Inf(1)}},
		} {
			want := checkHistogram(t, dt.String(), all["contiguous"], bins)
			for name, x := range all {
				counts, _, err := compute.Histogram(t.Context(), x, bins, nil)
				if err != nil || !slices.Equal(counts, want) {
					t.Errorf("%v, %s, %+v: counts %v, error %v; expected %v", dt, name, bins, counts, err, want)
				}
			}
		}
	}
}

// checkHistogram compares with the definition, which it returns the counts of.
func checkHistogram(t *testing.T, name string, x *view.Tensor, bins compute.Bins) (want []int64) {
	t.Helper()
	for _, workers := range workerCounts {
		counts, edges, err := compute.Histogram(t.Context(), x, bins, &compute.Options{Parallelism: workers})
		if err != nil {
			t.Fatalf("%s, %+v: %v", name, bins, err)
		}
		if want == nil {
			want = make([]int64, len(edges)-1)
			for _, v := range float64s(t, x) {
				if i := binOf(v, edges); i >= 0 {
					want[i]++
				}
			}
		}
		if !slices.Equal(counts, want) {
			t.Errorf("%s, %+v, %d workers: counts %v, expected %v", name, bins, workers, counts, want)
		}
	}
	return want
}

// All values that a bin may begin with, in each type whose rounding differs.
func TestHistogramAtEdges(t *testing.T) {
	for _, bins := range []int{1, 2, 3, 10, 49, 1000} {
		for _, outer := range [][2]float64{{0, 1}, {-0.1, 0.3}, {1e6, 1e6 + 1}, {-1e-300, 1e-300}, {1e300, 1.5e300}} {
			_, edges, err := compute.Histogram(t.Context(), mustEmpty(t), compute.Bins{Count: bins, Range: &outer}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var values []float64
			for _, e := range edges {
				values = append(values, e, math.Nextafter(e, math.Inf(1)), math.Nextafter(e, math.Inf(-1)), float64(float32(e)))
			}
			x, err := view.FromSlice(values, len(values))
			if err != nil {
				t.Fatal(err)
			}
			checkHistogram(t, "edges", x, compute.Bins{Count: bins, Range: &outer})
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func mustEmpty(t *testing.T) *view.Tensor {
	return tensor(t, nil, dtype.Float64, tensortest.Layout{Shape: []int{0}, Strides: []int{1}})
}

// The cases are what numpy.histogram answers.
func TestHistogramRange(t *testing.T) {
	for name, test := range map[string]struct {
		data   []float64
		bins   compute.Bins
		counts []int64
		edges  []float64
	}{
		"found":        {[]float64{1, 2, 1, 4}, compute.Bins{Count: 3}, []int64{2, 1, 1}, []float64{1, 2, 3, 4}},
		"one value":    {[]float64{5, 5}, compute.Bins{Count: 2}, []int64{0, 2}, []float64{4.5, 5, 5.5}},
		"empty":        {nil, compute.Bins{Count: 2}, []int64{0, 0}, []float64{0, 0.5, 1}},
		"last closed":  {[]float64{0, 0.5, 1, 1.5}, compute.Bins{Count: 2, Range: &[2]float64{0, 1}}, []int64{1, 2}, []float64{0, 0.5, 1}},
		"NaN dropped":  {[]float64{math.NaN(), 0.2}, compute.Bins{Count: 1, Range: &[2]float64{0, 1}}, []int64{1}, []float64{0, 1}},
		"given edges":  {[]float64{0, 1, 2, 3, 9}, compute.Bins{Edges: []float64{1, 2, 9}}, []int64{1, 3}, []float64{1, 2, 9}},
		"far too wide": {[]float64{1e308, -1e308}, compute.Bins{Edges: []float64{-math.MaxFloat64, 0, math.MaxFloat64}}, []int64{1, 1}, []float64{-math.MaxFloat64, 0, math.MaxFloat64}},
	} {
		x, err := view.FromSlice(test.data, len(test.data))
		if err != nil {
			t.Fatal(err)
		}
		counts, edges, err := compute.Histogram(t.Context(), x, test.bins, nil)
		if err != nil || !slices.Equal(counts, test.counts) || !slices.Equal(edges, test.edges) {
			t.Errorf("%s: counts %v, edges %v, error %v; expected %v, %v", name, counts, edges, err, test.counts, test.edges)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestHistogramErrors(t *testing.T) {
	x, err1 := view.FromSlice([]float64{1, math.NaN(), math.Inf(1)}, 3)
	c, err2 := view.FromSlice([]complex64{1}, 1)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		ctx  context.Context
		x    *view.Tensor
		bins compute.Bins
		text string
	}{
		{t.Context(), x, compute.Bins{}, "1 NaN and 1 infinite elements"},
		{t.Context(), c, compute.Bins{}, "elements of type complex64: expected real numbers"},
		{t.Context(), x, compute.Bins{Count: -1}, "-1 bins"},
		{t.Context(), x, compute.Bins{Count: 1 << 40}, "bins: expected 1 to"},
		{t.Context(), x, compute.Bins{Range: &[2]float64{1, 0}}, "range from 1 to 0"},
		{t.Context(), x, compute.Bins{Range: &[2]float64{0, math.Inf(1)}}, "expected finite numbers"},
		{t.Context(), x, compute.Bins{Range: &[2]float64{-1e308, 1e308}}, "finite distance"},
		{t.Context(), x, compute.Bins{Edges: []float64{1}}, "1 edges: expected at least 2"},
		{t.Context(), x, compute.Bins{Edges: []float64{1, 3, 2}}, "found 2 as number 2"},
		{t.Context(), x, compute.Bins{Edges: []float64{1, math.NaN()}}, "found NaN"},
		{t.Context(), x, compute.Bins{Edges: []float64{1, 2}, Count: 1}, "expected one of them"},
		{cancelled, x, compute.Bins{Range: &[2]float64{0, 1}}, "context canceled"},
	} {
		if _, _, err := compute.Histogram(test.ctx, test.x, test.bins, nil); err == nil || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%+v: error %v, expected %q in it", test.bins, err, test.text)
		}
	}
}

func TestBincount(t *testing.T) {
	for _, dt := range dtype.All() {
		if k := dt.Kind(); k == dtype.KindFloat || k == dtype.KindComplex {
			continue
		}
		values := make([]uint64, 70_035)
		most := uint64(300)
		if dt.Size() == 1 {
			most = 120
		}
		data := make([]byte, len(values)*dt.Size())
		want := []int64{}
		for i := range values {
			v := uint64(i) * uint64(i) % 7919 % most
			if dt == dtype.Bool {
				v %= 2
			}
			dtype.ScalarOf(v).Convert(dt).Store(data[i*dt.Size():])
			for len(want) <= int(v) {
				want = append(want, 0)
			}
			want[v]++
		}
		if dt == dtype.Bool {
			data[1] = 77 // true is any byte but 0
		}
		for name, x := range arrangements(t, data, dt) {
			for _, atLeast := range []int{0, 2000} {
				expected := append(slices.Clone(want), make([]int64, max(0, atLeast-len(want)))...)
				for _, workers := range workerCounts {
					counts, err := compute.Bincount(t.Context(), x, atLeast, &compute.Options{Parallelism: workers})
					if err != nil || !slices.Equal(counts, expected) {
						t.Fatalf("%v, %s, %d workers: counts %v, error %v; expected %v", dt, name, workers, counts, err, expected)
					}
				}
			}
		}
	}
}

func TestBincountErrors(t *testing.T) {
	x, err1 := view.FromSlice([]int64{1, -4, 2}, 3)
	y, err2 := view.FromSlice([]uint64{1, math.MaxUint64}, 2)
	z, err3 := view.FromSlice([]float32{1}, 1)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		x       *view.Tensor
		atLeast int
		text    string
	}{
		{x, 0, "element -4: expected no negative ones"},
		{y, 0, "element 18446744073709551615: expected elements below"},
		{z, 0, "elements of type float32: expected integers or bools"},
		{x, -1, "at least -1 counts"},
	} {
		if _, err := compute.Bincount(t.Context(), test.x, test.atLeast, nil); err == nil || !strings.Contains(err.Error(), test.text) {
			t.Errorf("error %v, expected %q in it", err, test.text)
		}
	}
}

func BenchmarkHistogram(b *testing.B) {
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64, dtype.Uint8} {
		x := benchTensor(b, dt)
		b.Run(dt.String()+"/256bins", func(b *testing.B) {
			b.SetBytes(x.NumBytes())
			for b.Loop() {
				if _, _, err := compute.Histogram(b.Context(), x, compute.Bins{Count: 256, Range: &[2]float64{0, 1}}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	x := benchTensor(b, dtype.Uint16)
	b.Run("Bincount/uint16", func(b *testing.B) {
		b.SetBytes(x.NumBytes())
		for b.Loop() {
			if _, err := compute.Bincount(b.Context(), x, 0, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
