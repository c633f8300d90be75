package order_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
)

// lanes are elements that samples may be wrong about, or whose keys lie together.
var lanes = map[string]func(i, n int, r *rand.Rand) float64{
	"random":      func(_, _ int, r *rand.Rand) float64 { return r.NormFloat64() },
	"equal":       func(int, int, *rand.Rand) float64 { return 7 },
	"two values":  func(i, _ int, _ *rand.Rand) float64 { return float64(i % 2) },
	"few values":  func(_, _ int, r *rand.Rand) float64 { return float64(r.IntN(9)) },
	"half zeros":  func(_, _ int, r *rand.Rand) float64 { return max(0, r.NormFloat64()) },
	"zeros":       func(i, _ int, _ *rand.Rand) float64 { return math.Copysign(0, float64(i%3)-1) },
	"ascending":   func(i, _ int, _ *rand.Rand) float64 { return float64(i) },
	"descending":  func(i, n int, _ *rand.Rand) float64 { return float64(n - i) },
	"organ pipe":  func(i, n int, _ *rand.Rand) float64 { return float64(min(i, n-i)) },
	"sawtooth":    func(i, _ int, _ *rand.Rand) float64 { return float64(i % 1000) },
	"slow wave":   func(i, n int, _ *rand.Rand) float64 { return math.Sin(float64(i) * 40 / float64(n)) },
	"blocks":      func(i, _ int, _ *rand.Rand) float64 { return float64(i>>12*0x9e3779b9>>7) + float64(i%4096)/4096 },
	"infinite":    func(i, _ int, r *rand.Rand) float64 { return []float64{math.Inf(1), math.Inf(-1), r.Float64()}[i%3] },
	"NaN":         func(int, int, *rand.Rand) float64 { return math.NaN() },
	"mostly NaN":  func(i, _ int, r *rand.Rand) float64 { return []float64{math.NaN(), r.NormFloat64()}[one(i%50 == 0)] },
	"some NaN":    func(i, _ int, r *rand.Rand) float64 { return []float64{r.NormFloat64(), -math.NaN()}[one(i%7 == 0)] },
	"one NaN":     func(i, n int, r *rand.Rand) float64 { return []float64{r.NormFloat64(), math.NaN()}[one(i == n-1)] },
	"outlier":     func(i, n int, _ *rand.Rand) float64 { return []float64{1, 1e30}[one(i == n/2)] },
	"magnitudes":  func(_, _ int, r *rand.Rand) float64 { return math.Exp(r.NormFloat64() * 30) },
	"late change": func(i, n int, r *rand.Rand) float64 { return r.Float64() + []float64{0, 100}[one(i > n*999/1000)] },
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSelectAny finds ranks of all kinds of elements, of every type that is sampled, with bounds
// and by counting digits.
func TestSelectAny(t *testing.T) {
	n := 1<<17 + 5000
	if !*long {
		n = 1<<16 + 300
	}
	for name, at := range lanes {
		if !*long && len(name)%3 != 0 {
			continue
		}
		for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64, dtype.Int32, dtype.Uint32, dtype.Int64, dtype.Uint64, dtype.Complex64} {
			if dt != dtype.Float32 && len(name)%3 != int(dt)%3 {
				continue // each type with some of them
			}
			t.Run(fmt.Sprintf("%s/%s", name, dt), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(len(name)), 2))
				elems := make([]byte, n*dt.Size())
				for i := range n {
					dtype.ScalarOf(at(i, n, r)).Convert(dt).Store(elems[i*dt.Size():])
				}
				checkRanks(t, dt, elems)
			})
		}
	}
}

// checkRanks holds keys at some positions against those of sorted elements.
func checkRanks(t *testing.T, dt dtype.Type, elems []byte) {
	c, _ := order.CodingOf(dt)
	sorted := make([]uint64, len(elems)/dt.Size()-3)
	order.Encode(c, sorted, elems[3*dt.Size():])
	order.Sort(sorted, make([]uint64, len(sorted)), 0, false)
	all := [][]float64{{0, 0.5, 1}, {0.5}, {0.01, 0.5, 0.99}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}}
	if !*long {
		all = all[:1]
	}
	for _, levels := range all {
		at := func(nan int) (positions []int) {
			for _, q := range levels {
				if n := len(sorted) - nan; n > 0 {
					positions = append(positions, int(q*float64(n-1)))
				}
			}
			return positions
		}
		l := order.Lane{Source: bytesSource{elems, dt.Size()}, Coding: c, First: 3, N: len(sorted)}
		keys, err := order.Select(l, at, func(j exec.Job, _ bool) error {
			return exec.Run(context.Background(), j, exec.Options{Parallelism: 2})
		})
		if err != nil {
			t.Fatal(err)
		}
		nan := 0
		for _, k := range sorted {
			nan += one(c.IsNaN(k))
		}
		positions := at(nan)
		if len(keys) != len(positions) {
			t.Fatalf("%d keys, want %d", len(keys), len(positions))
		}
		for i, p := range positions {
			if keys[i] != sorted[p] {
				t.Errorf("levels %v: key %x at %d, want %x", levels, keys[i], p, sorted[p])
			}
		}
	}
}

// TestSelectManyBounds looks for the keys at many positions: with room for all keys in one pass,
// else in as many as the positions take.
func TestSelectManyBounds(t *testing.T) {
	const n = 1 << 18
	r := rand.New(rand.NewPCG(5, 6))
	elems := make([]float32, n)
	for i := range elems {
		elems[i] = float32(r.NormFloat64())
	}
	c, _ := order.CodingOf(dtype.Float32)
	sorted := make([]uint64, n)
	order.Encode(c, sorted, bytesOf(elems))
	order.Sort(sorted, make([]uint64, n), 0, false)
	for _, test := range []struct{ positions, maxKept, passes int }{{1, n / 4, 1}, {20, n / 4, 2}, {20, n, 2}, {100, n / 4, 6}, {100, n, 1}, {1000, n / 4, 8}, {1000, n, 1}} {
		var positions []int
		for i := range test.positions {
			positions = append(positions, (2*i+1)*n/(2*test.positions))
		}
		l := order.Lane{Source: bytesSource{bytesOf(elems), 4}, Coding: c, N: n, MaxKept: test.maxKept}
		passes := 0
		keys, err := order.Select(l, func(int) []int { return positions }, func(j exec.Job, reads bool) error {
			if reads && j.NumChunks() == n/order.ChunkElems {
				passes++
			}
			return exec.Run(context.Background(), j, exec.Options{Parallelism: 2})
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range positions {
			if keys[i] != sorted[p] {
				t.Fatalf("%+v: key %x at %d, want %x", test, keys[i], p, sorted[p])
			}
		}
		if passes > test.passes {
			t.Errorf("%+v: %d passes", test, passes)
		}
	}
}
