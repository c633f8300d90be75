package window_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/tstore/tstore/compute/internal/window"
)

// naive computes one window as its definition says, in float64.
func naive(op window.Op, x []float64) float64 {
	n := float64(len(x))
	sum, least, most := 0.0, math.Inf(1), math.Inf(-1)
	for _, v := range x {
		sum, least, most = sum+v, min(least, v), max(most, v)
	}
	squares := 0.0
	for _, v := range x {
		squares += (v - sum/n) * (v - sum/n)
	}
	sorted := slices.Sorted(slices.Values(x))
	switch op {
	case window.Sum:
		return sum
	case window.Mean:
		return sum / n
	case window.Min:
		return least
	case window.Max:
		return most
	case window.Var:
		return squares / n
	case window.Std:
		return math.Sqrt(squares / n)
	}
	if slices.ContainsFunc(x, math.IsNaN) {
		return math.NaN()
	}
	return (sorted[(len(x)-1)/2] + sorted[len(x)/2]) / 2
}

var ops = []window.Op{window.Sum, window.Mean, window.Min, window.Max, window.Var, window.Std, window.Median}

func TestMove(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, width := range []int{1, 2, 3, 4, 5, 7, 8, 31, 64, 100, 255} {
		for _, n := range []int{1, 2, 63, 300} {
			x := make([]float64, n+width-1)
			for i := range x {
				x[i] = float64(r.IntN(200)-100) / 4
			}
			for _, op := range ops {
				for _, special := range []float64{0, math.NaN(), math.Inf(1), 1e17} {
					x[len(x)/2] = special
					got := move(op, width, slices.Clone(x), n)
					for i := range n {
						want := naive(op, x[i:i+width])
						if !near(got[i], want, 1e-12) {
							t.Fatalf("operation %d, width %d, window %d of %d, with %v: got %v, want %v", op, width, i, n, special, got[i], want)
						}
					}
				}
			}
		}
	}
}

// TestMoveHasNoDrift moves past an element that is far larger than all others.
func TestMoveHasNoDrift(t *testing.T) {
	x := make([]float32, 2000)
	for i := range x {
		x[i] = 0.1
	}
	x[3] = 1e30
	for _, op := range []window.Op{window.Sum, window.Mean, window.Var} {
		got := move(op, 50, x, len(x)-49)
		last := got[len(got)-1]
		want := map[window.Op]float32{window.Sum: 5, window.Mean: 0.1, window.Var: 0}[op]
		if !near(float64(last), float64(want), 1e-6) {
			t.Errorf("operation %d: got %v, want %v", op, last, want)
		}
	}
}

// move returns the values of n windows.
func move[T float32 | float64](op window.Op, width int, x []T, n int) []T {
	dst := make([]T, n)
	window.NewMover[T](op, width, new(atomic.Bool)).Move(dst, x, 1, false)
	return dst
}

func near(a, b, tolerance float64) bool {
	if a != a || b != b {
		return a != a && b != b
	}
	return a == b || math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

func ExampleMover() {
	m := window.NewMover[float64](window.Mean, 3, new(atomic.Bool))
	means := make([]float64, 3)
	m.Move(means, []float64{1, 2, 3, 4, 8}, 1, false)
	fmt.Println(means)
	// Output: [2 3 5]
}
