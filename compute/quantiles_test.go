package compute_test

import (
	"math"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
)

// sorted are the elements that are not NaN, as float64 in ascending order.
func sorted(dt dtype.Type, b []byte) []float64 {
	all := make([]float64, len(b)/dt.Size())
	dtype.Convert(bytesOfSlice(all), dtype.Float64, b, dt)
	all = slices.DeleteFunc(all, math.IsNaN)
	slices.Sort(all)
	return all
}

// Quantiles of narrow types, and of few elements, are elements of an exact rank.
func TestQuantilesExact(t *testing.T) {
	for i, dt := range dtype.All() {
		if dt.Kind() == dtype.KindComplex {
			continue
		}
		for _, n := range []int{1, 2, 99, 100, 5000, 131_071, 140_000} {
			if n > 131_071 && dt.Size() > 2 || !*compute.Long && n >= 131_071 && i%2 > 0 {
				continue
			}
			special := []float64{0, 1}
			if dt.Kind() == dtype.KindFloat && n > 2 {
				special = append(special, math.NaN())
			}
			b := random(t, dt, 4, n, special[:min(n, len(special))]...)
			s, err := compute.Stats(t.Context(), tensor(t, b, dt, tensortest.Layout{Shape: []int{n}, Strides: []int{1}}))
			if err != nil {
				t.Fatal(err)
			}
			all := sorted(dt, b)
			for i, level := range compute.QuantileLevels {
				at := int(math.Ceil(level*float64(len(all)))) - 1
				if q := s.Quantiles[i]; q.Type() != dt || q.Float64() != all[max(at, 0)] || !s.QuantilesExact {
					t.Errorf("%v, %d elements: quantile %v is %v, exact %v; expected %v", dt, n, level, q, s.QuantilesExact, all[max(at, 0)])
				}
			}
		}
	}
	if s := stats[float32](t, float32(math.NaN())); s.Quantiles[0].Type().Valid() {
		t.Errorf("quantile %v of NaN, expected none", s.Quantiles[0])
	}
	if s := stats[float64](t); s.Quantiles[0].Type().Valid() {
		t.Errorf("quantile %v of nothing, expected none", s.Quantiles[0])
	}
}

// Estimates of quantiles are off by less than 1 percent in rank, also of elements that lie close,
// repeat or ascend.
func TestQuantilesEstimate(t *testing.T) {
	const n = 1_000_003
	for name, value := range map[string]func(i int) float64{
		"ascending": func(i int) float64 { return float64(i) },
		"narrow":    func(i int) float64 { return 1e9 + float64(i*7919%n)/n },
		"periodic":  func(i int) float64 { return float64(i % 15) },
		"skewed":    func(i int) float64 { return math.Exp(float64(i*7919%n) / n * 300) },
		"two":       func(i int) float64 { return float64(i*7919%n/(n/2)) * 1e300 },
	} {
		elems := make([]float64, n)
		for i := range elems {
			elems[i] = value(i)
		}
		b := bytesOfSlice(elems)
		s, err := compute.Stats(t.Context(), tensor(t, b, dtype.Float64, tensortest.Layout{Shape: []int{n}, Strides: []int{1}}))
		if err != nil {
			t.Fatal(err)
		}
		if s.QuantilesExact {
			t.Errorf("%s: quantiles are called exact", name)
		}
		all := sorted(dtype.Float64, b)
		for i, level := range compute.QuantileLevels {
			q := s.Quantiles[i].Float64()
			below, _ := slices.BinarySearch(all, q)
			upTo, _ := slices.BinarySearch(all, math.Nextafter(q, math.Inf(1)))
			if share := level * n; float64(below) > share+n/100 || float64(upTo) < share-n/100 {
				t.Errorf("%s: quantile %v is %v, of ranks %d to %d", name, level, q, below, upTo)
			}
		}
	}
}
