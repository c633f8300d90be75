package compute_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute"
)

// inOrder hides that elements are stored, so that they are read in order only.
type inOrder struct{ compute.Elements }

// TestStatsExact holds exact quantiles against sorted elements.
func TestStatsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	elems := make([]float32, 1<<17+5)
	for i := range elems {
		if elems[i] = float32(r.NormFloat64()); i%9 == 0 {
			elems[i] = float32(math.NaN())
		}
	}
	x := fromSlice(t, elems)
	sorted := slices.DeleteFunc(slices.Clone(elems), func(v float32) bool { return v != v })
	slices.Sort(sorted)
	for name, from := range map[string]compute.Elements{"stored": x, "in order": inOrder{x}} {
		s, err := compute.StatsExact(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}
		if !s.QuantilesExact {
			t.Errorf("%s: quantiles are estimates", name)
		}
		for i, level := range compute.QuantileLevels {
			want := sorted[int(math.Ceil(level*float64(len(sorted))))-1]
			if got := s.Quantiles[i].Float64(); got != float64(want) {
				t.Errorf("%s: quantile %v is %v, want %v", name, level, got, want)
			}
		}
	}
}

func TestStatsExactOfNaNs(t *testing.T) {
	x := fromSlice(t, slices.Repeat([]float32{float32(math.NaN())}, 1<<17))
	if _, err := compute.StatsExact(t.Context(), x); err != nil {
		t.Error(err)
	}
}
