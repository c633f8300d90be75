package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestJoinMoments compares what this CPU does with the Go of it, on windows of one array and of
// two.
func TestJoinMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{0, 1, 7, 8, 100, 1003} {
		for _, widths := range [][2]float64{{1, 1}, {2, 2}, {64, 64}, {3, 4}, {37, 64}} {
			for _, behind := range []int{1, 2, 5, 16} {
				x := make([]float64, 2*(n+behind))
				for i := range x {
					x[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-20))
				}
				if n > 1 {
					x[n/2] = math.NaN()
					x[n/3] = math.Inf(1)
				}
				got, want := slices.Clone(x), slices.Clone(x)
				a, b := widths[0], widths[1]
				half := n + behind
				JoinMoments(got[:n], got[half:half+n], got[behind:], got[half+behind:], a, b)
				joinMoments(want[:n], want[half:half+n], want[behind:], want[half+behind:], [3]float64{a, 1 / b, a * b / (a + b)})
				for i := range want {
					if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
						t.Fatalf("%d windows of %v, %d apart, element %d: got %v, want %v", n, widths, behind, i, got[i], want[i])
					}
				}
			}
		}
	}
}
