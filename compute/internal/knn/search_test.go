package knn_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/knn"
)

// value is the distance, or product, by its definition.
func value(metric knn.Metric, a, b []float32) float64 {
	dot, aa, bb, dd := 0.0, 0.0, 0.0, 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb, dd = dot+x*y, aa+x*x, bb+y*y, dd+(x-y)*(x-y)
	}
	switch {
	case metric == knn.L2:
		return math.Sqrt(dd)
	case metric == knn.Dot:
		return dot
	case aa*bb == 0:
		return 1
	}
	return 1 - dot/(math.Sqrt(aa)*math.Sqrt(bb))
}

// TestSearch holds results against all distances, also where many are equal, and where vectors are
// long and close together.
func TestSearch(t *testing.T) {
	const dim, n, k = 24, 700, 9
	r := rand.New(rand.NewPCG(3, 3))
	for name, number := range map[string]func() float32{
		"random": func() float32 { return float32(r.NormFloat64()) },
		"equal":  func() float32 { return float32(r.IntN(2)) },
		"close":  func() float32 { return 1000 + float32(r.NormFloat64())/1000 },
	} {
		queries, base := make([]float32, 5*dim), make([]float32, n*dim)
		for i := range queries {
			queries[i] = number()
		}
		for i := range base {
			base[i] = number()
		}
		clear(base[3*dim : 4*dim])
		for _, metric := range []knn.Metric{knn.L2, knn.Dot, knn.Cosine} {
			first, second := knn.NewSearch(metric, queries, dim, k), knn.NewSearch(metric, queries, dim, k)
			for at := 0; at < n; at += 100 {
				s := first
				if at%200 == 0 {
					s = second
				}
				if err := s.Add(base[at*dim:(at+100)*dim], at); err != nil {
					t.Fatal(err)
				}
			}
			first.Merge(second)
			for q := range 5 {
				indexes, values := make([]int64, k), make([]float64, k)
				first.Nearest(q, indexes, values)
				all := make([]float64, n)
				order := make([]int64, n)
				for i := range n {
					all[i], order[i] = value(metric, queries[q*dim:(q+1)*dim], base[i*dim:(i+1)*dim]), int64(i)
				}
				slices.SortStableFunc(order, func(i, j int64) int {
					if metric == knn.Dot {
						i, j = j, i
					}
					return cmp.Compare(all[i], all[j])
				})
				for i := range k {
					if math.Abs(values[i]-all[indexes[i]]) > 1e-12*max(1, math.Abs(values[i])) || math.Abs(values[i]-all[order[i]]) > 1e-12*max(1, math.Abs(values[i])) {
						t.Errorf("%s, metric %d, query %d, neighbour %d: index %d at %v, want %d at %v", name, metric, q, i, indexes[i], values[i], order[i], all[order[i]])
					}
				}
				if metric != knn.Cosine && name != "close" && metric == knn.L2 && !slices.Equal(indexes, order[:k]) {
					t.Errorf("%s, query %d: indexes %v, want %v", name, q, indexes, order[:k])
				}
			}
		}
	}
}
