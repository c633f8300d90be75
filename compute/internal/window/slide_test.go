package window

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
)

// TestSlidesGiveTheSameBits compares windows that kernels compute with those made step by step.
func TestSlidesGiveTheSameBits(t *testing.T) {
	t.Run("float32", sameBits[float32])
	t.Run("float64", sameBits[float64])
}

func sameBits[T float](t *testing.T) {
	if kernel.SlideWidth() == 0 {
		t.Skip("this processor has no such kernels")
	}
	r := rand.New(rand.NewPCG(7, 7))
	for width := 1; width < 300; width += 1 + width/40 {
		for _, n := range []int{1, 7, 16, 63, 200, 1100} {
			checkSlides[T](t, r, width, n)
		}
		checkLanes[T](t, r, width, 1+r.IntN(20), 2+r.IntN(100))
	}
	for _, width := range []int{511, 512, 1000, 3000} {
		checkSlides[T](t, r, width, 1500)
		checkLanes[T](t, r, width, 1+r.IntN(20), 2+r.IntN(100))
	}
}

// withSpecials returns n random numbers with special ones among them.
func withSpecials[T float](r *rand.Rand, n, width int) []T {
	specials := []T{T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1)), 0, T(math.Copysign(0, -1)), 1e30, -1e30}
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
		if r.IntN(1+width) == 0 {
			x[i] = specials[r.IntN(len(specials))]
		}
		if r.IntN(3) == 0 {
			x[i] *= 0
		}
	}
	return x
}

// checkLanes compares windows over some rows of step lanes side by side, of all lanes and of some.
func checkLanes[T float](t *testing.T, r *rand.Rand, width, rows, step int) {
	t.Helper()
	x := withSpecials[T](r, (rows+width-1)*step, width)
	for _, op := range []Op{Sum, Mean, Min, Max} {
		m := NewMover[T](op, width, new(atomic.Bool))
		plain := NewMover[T](op, width, new(atomic.Bool))
		plain.slides = nil
		want, got := make([]T, rows*step), make([]T, rows*step+1)
		plain.Move(want, x, step, false)
		m.Move(got[1:], x, step, true)
		sameLanes(t, op, width, got[1:], want, step, step)
		if cols := 1 + r.IntN(step); cols > 1 && m.AtOnce(cols) {
			clear(got)
			m.MoveLanes(got[:(rows-1)*step+cols], x, cols, step, true)
			sameLanes(t, op, width, got, want, cols, step)
		}
	}
}

// sameLanes compares the first cols lanes, and looks whether the others are untouched.
func sameLanes[T float](t *testing.T, op Op, width int, got, want []T, cols, step int) {
	t.Helper()
	for i := range want {
		a, b := float64(got[i]), float64(want[i])
		if i%step >= cols {
			b = 0
		}
		if math.Float64bits(a) != math.Float64bits(b) && !(a != a && b != b) {
			t.Fatalf("operation %d, width %d, row %d, lane %d of %d: got %v, want %v", op, width, i/step, i%step, step, a, b)
		}
	}
}

// checkSlides compares n windows over random numbers with special ones among them, stored in both
// ways.
func checkSlides[T float](t *testing.T, r *rand.Rand, width, n int) {
	t.Helper()
	x := withSpecials[T](r, n+width-1, width)
	for _, op := range []Op{Sum, Mean, Min, Max} {
		m := NewMover[T](op, width, new(atomic.Bool))
		room, want := make([]T, n+2), make([]T, n)
		for _, past := range []bool{false, true} {
			got := room[1 : n+1]
			m.Move(got, x, 1, past)
			plain := NewMover[T](op, width, new(atomic.Bool))
			plain.slides = nil
			plain.Move(want, x, 1, false)
			for i := range want {
				a, b := float64(got[i]), float64(want[i])
				if math.Float64bits(a) != math.Float64bits(b) && !(a != a && b != b) {
					t.Fatalf("operation %d, width %d, window %d of %d, past %v: got %v, want %v", op, width, i, n, past, got[i], want[i])
				}
			}
			if room[0] != 0 || room[n+1] != 0 {
				t.Fatalf("operation %d, width %d, %d windows: stored beyond them", op, width, n)
			}
		}
	}
}

func FuzzSlides(f *testing.F) {
	f.Add(uint64(1), uint16(20), uint16(100))
	f.Fuzz(func(t *testing.T, seed uint64, width, n uint16) {
		r := rand.New(rand.NewPCG(seed, 1))
		checkSlides[float32](t, r, 1+int(width)%1000, 1+int(n)%3000)
		checkSlides[float64](t, r, 1+int(width)%1000, 1+int(n)%3000)
		checkLanes[float32](t, r, 1+int(width)%1000, 1+int(n)%100, 1+int(n)%77)
		checkLanes[float64](t, r, 1+int(width)%1000, 1+int(n)%100, 1+int(n)%77)
	})
}
