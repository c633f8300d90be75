package compute_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"runtime"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// reference computes a Summary from the definitions, in numbers of 300 bits.
func reference(dt dtype.Type, elems []dtype.Scalar) compute.Summary {
	s := compute.Summary{DType: dt, Count: len(elems)}
	var re, im []dtype.Scalar
	for _, e := range elems {
		c := e.Complex128()
		if math.IsNaN(real(c)) || math.IsNaN(imag(c)) {
			s.NaN++
			continue
		}
		if math.IsInf(real(c), 0) || math.IsInf(imag(c), 0) {
			s.Inf++
		}
		if e.IsZero() {
			s.Zero++
		}
		if dt.Kind() == dtype.KindComplex {
			re, im = append(re, dtype.ScalarOf(real(c))), append(im, dtype.ScalarOf(imag(c)))
		} else {
			re = append(re, e)
		}
	}
	sum, mean, std := moments(re)
	s.Sum, s.Mean, s.Std = dtype.ScalarOf(sum), dtype.ScalarOf(mean), std
	if dt.Kind() == dtype.KindComplex {
		sumIm, meanIm, stdIm := moments(im)
		s.Sum, s.Mean = dtype.ScalarOf(complex(sum, sumIm)), dtype.ScalarOf(complex(mean, meanIm))
		s.Std = math.Hypot(std, stdIm)
		return s
	}
	for i, e := range re {
		if i == 0 || less(e, s.Min) {
			s.Min = e
		}
		if i == 0 || less(s.Max, e) {
			s.Max = e
		}
	}
	return s
}

// less compares real numbers of one type, none of them NaN.
func less(a, b dtype.Scalar) bool {
	switch x := a.Any().(type) {
	case int64:
		return x < b.Any().(int64)
	case uint64:
		return x < b.Any().(uint64)
	}
	return a.Float64() < b.Float64()
}

func exact(s dtype.Scalar) *big.Float { return setExact(new(big.Float).SetPrec(300), s) }

// setExact sets f, which has the precision for that, to a number.
func setExact(f *big.Float, s dtype.Scalar) *big.Float {
	switch v := s.Any().(type) {
	case int64:
		return f.SetInt64(v)
	case uint64:
		return f.SetUint64(v)
	}
	return f.SetFloat64(s.Float64())
}

// moments are the sum, mean and standard deviation of finite or infinite numbers.
func moments(elems []dtype.Scalar) (sum, mean, std float64) {
	for _, e := range elems {
		sum += e.Float64()
	}
	if math.IsInf(sum, 0) || math.IsNaN(sum) || len(elems) == 0 {
		return sum, sum / float64(len(elems)), math.NaN()
	}
	total, n := exact(dtype.ScalarOf(0.0)), exact(dtype.ScalarOf(float64(len(elems))))
	each := exact(dtype.ScalarOf(0.0))
	for _, e := range elems {
		total.Add(total, setExact(each, e))
	}
	average := exact(dtype.ScalarOf(0.0)).Quo(total, n)
	squares := exact(dtype.ScalarOf(0.0))
	for _, e := range elems {
		d := setExact(each, e)
		d.Sub(d, average)
		squares.Add(squares, d.Mul(d, d))
	}
	sum, _ = total.Float64()
	mean, _ = average.Float64()
	std, _ = squares.Sqrt(squares.Quo(squares, n)).Float64()
	return sum, mean, std
}

// near reports whether two numbers are the same but for a few roundings.
func near(a, b float64) bool {
	return a == b || a != a && b != b || math.Abs(a-b) <= 1e-14*math.Abs(b)
}

func nearScalar(a, b dtype.Scalar) bool {
	x, y := a.Complex128(), b.Complex128()
	return near(real(x), real(y)) && near(imag(x), imag(y))
}

func checkSummary(t *testing.T, got, want compute.Summary) {
	t.Helper()
	if got.DType != want.DType || got.Count != want.Count || got.NaN != want.NaN || got.Inf != want.Inf || got.Zero != want.Zero ||
		got.Min != want.Min || got.Max != want.Max {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !nearScalar(got.Sum, want.Sum) || !nearScalar(got.Mean, want.Mean) || !near(got.Std, want.Std) {
		t.Errorf("sum %v, mean %v, std %v; want %v, %v, %v", got.Sum, got.Mean, got.Std, want.Sum, want.Mean, want.Std)
	}
}

func TestStatsLayouts(t *testing.T) {
	t.Parallel()
	for i, l := range tensortest.Layouts() {
		for k, dt := range dtype.All() {
			if !*compute.Long && i%3 != k%3 {
				continue
			}
			b := tensortest.Buffer(l.Span*dt.Size(), l.Skew)
			if l.Span > 0 {
				copy(b, random(t, dt, 11, l.Span, 0, 1))
			}
			var elems []dtype.Scalar
			for _, pos := range l.Positions() {
				elems = append(elems, dtype.Load(dt, b[pos*dt.Size():]))
			}
			got, err := compute.Stats(t.Context(), tensor(t, b, dt, l))
			if err != nil {
				t.Fatal(err)
			}
			t.Run(l.Name+"/"+dt.String(), func(t *testing.T) { checkSummary(t, got, reference(dt, elems)) })
		}
	}
}

func TestStatsValues(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		name   string
		values []float64
	}{
		{"NaNs", []float64{1, nan, -3, nan, 0}},
		{"only NaNs", []float64{nan, nan}},
		{"infinity", []float64{1, inf, 2, 0}},
		{"both infinities", []float64{1, inf, -inf}},
		{"infinity and NaN", []float64{nan, -inf, 5}},
		{"zeros", []float64{0, math.Copysign(0, -1), 3}},
		{"one", []float64{-7}},
		{"equal", []float64{0.25, 0.25, 0.25}},
		{"large mean", []float64{1024, 1025, 1026, 1025}},
		{"cancelling", []float64{448, 0.5, -448}},
	} {
		for _, dt := range []dtype.Type{dtype.Float16, dtype.BFloat16, dtype.Float8E5M2, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128} {
			t.Run(tt.name+"/"+dt.String(), func(t *testing.T) {
				var b []byte
				var elems []dtype.Scalar
				for _, v := range tt.values {
					e := dtype.ScalarOf(v).Convert(dt)
					elems = append(elems, e)
					var elem [16]byte
					e.Store(elem[:])
					b = append(b, elem[:dt.Size()]...)
				}
				got, err := compute.Stats(t.Context(), tensor(t, b, dt, tensortest.Layout{Shape: []int{len(elems)}, Strides: []int{1}}))
				if err != nil {
					t.Fatal(err)
				}
				checkSummary(t, got, reference(dt, elems))
			})
		}
	}
}

func stats[T dtype.Element](t *testing.T, values ...T) compute.Summary {
	t.Helper()
	x, err := view.FromSlice(values)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s, err := compute.Stats(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStatsIntegersAreExact(t *testing.T) {
	s := stats[int64](t, math.MinInt64, math.MinInt64, math.MaxInt64)
	checkSummary(t, s, reference(dtype.Int64, []dtype.Scalar{s.Min, s.Min, s.Max}))
	if s.Sum.Type() != dtype.Float64 || s.Sum.Float64() != -0x1p63 {
		t.Errorf("sum %v %v, want the float64 nearest to -2^63-1", s.Sum.Type(), s.Sum)
	}
	s = stats[uint64](t, math.MaxUint64, 0)
	checkSummary(t, s, reference(dtype.Uint64, []dtype.Scalar{s.Min, s.Max}))
	if s.Sum != dtype.ScalarOf(uint64(math.MaxUint64)) {
		t.Errorf("sum %v, want 2^64-1", s.Sum)
	}
	// In float64 these are all the same number.
	s = stats[int64](t, 1<<62, 1<<62+1, 1<<62+2)
	if want := math.Sqrt(2.0 / 3); s.Std != want {
		t.Errorf("std %v, want %v", s.Std, want)
	}
	if s = stats[int8](t, -128, 127, 127); s.Sum != dtype.ScalarOf(int64(126)) || s.Mean != dtype.ScalarOf(42.0) {
		t.Errorf("int8: sum %v, mean %v", s.Sum, s.Mean)
	}
	if s = stats(t, true, false, true, true); s.Sum != dtype.ScalarOf(int64(3)) || s.Mean != dtype.ScalarOf(0.75) || s.Min != dtype.ScalarOf(false) {
		t.Errorf("bool: %+v", s)
	}
}

func TestStatsFloatsAreAccurate(t *testing.T) {
	if s := stats(t, 1e16, 1, -1e16, 1); s.Sum != dtype.ScalarOf(2.0) {
		t.Errorf("sum %v, want 2", s.Sum)
	}
	if s := stats(t, 1e9+4, 1e9+7, 1e9+13, 1e9+16); s.Std != math.Sqrt(22.5) {
		t.Errorf("std %v, want %v", s.Std, math.Sqrt(22.5))
	}
	tenths := make([]float64, 100_001)
	for i := range tenths {
		tenths[i] = 0.1
	}
	if s := stats(t, tenths...); s.Std != 0 || s.Mean != dtype.ScalarOf(0.1) {
		t.Errorf("equal elements: mean %v, std %v", s.Mean, s.Std)
	}
}

// scalars are the elements packed in b.
func scalars(dt dtype.Type, b []byte) []dtype.Scalar {
	var elems []dtype.Scalar
	for ; len(b) > 0; b = b[dt.Size():] {
		elems = append(elems, dtype.Load(dt, b))
	}
	return elems
}

// TestStatsSameBits summarises several chunks in every layout and with several numbers of workers.
func TestStatsSameBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n = 3 * 5 * 7 * 1301
	types := []dtype.Type{dtype.Float32, dtype.Complex64, dtype.Uint8, dtype.Int64, dtype.Float16, dtype.Float64}
	if !*compute.Long {
		types = types[:2]
	}
	for i, dt := range types {
		for k, special := range [][]float64{nil, {math.NaN(), 0, math.NaN()}} {
			if !*compute.Long && i != k {
				continue
			}
			if special != nil && dt.Kind() != dtype.KindFloat && dt.Kind() != dtype.KindComplex {
				special = []float64{0, 1}
			}
			packed := random(t, dt, 99, n, special...)
			var want compute.Summary
			for name, x := range arrangements(t, packed, dt) {
				for _, workers := range []int{1, 2, 5} {
					runtime.GOMAXPROCS(workers)
					got, err := compute.Stats(t.Context(), x)
					if err != nil {
						t.Fatal(err)
					}
					if want.Count == 0 {
						want = got
						if special != nil {
							checkSummary(t, got, reference(dt, scalars(dt, packed)))
						}
					}
					if got != want {
						t.Errorf("%v, %s, %d workers: got %+v, want %+v", dt, name, workers, got, want)
					}
				}
			}
		}
	}
}

func TestStatsErrors(t *testing.T) {
	x, err := view.FromSlice(make([]float32, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := compute.Stats(ctx, x); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := compute.Stats(t.Context(), x); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
