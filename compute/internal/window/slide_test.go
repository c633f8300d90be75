package window

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// TestSlidesGiveTheSameBits compares windows that kernels compute with those made step by step.
func TestSlidesGiveTheSameBits(t *testing.T) {
	t.Run("float32", sameBits[float32])
	t.Run("float64", sameBits[float64])
}

func sameBits[T float](t *testing.T) {
	if kernel.LookupSlide(kernel.SlideSum, dtype.Of[T]()) == nil {
		t.Skip("this processor has no such kernels")
	}
	r := rand.New(rand.NewPCG(7, 7))
	for width := 1; width < 300; width += 1 + width/40 {
		for _, n := range []int{1, 7, 16, 63, 200, 1100} {
			checkSlides[T](t, r, width, n)
		}
	}
	for _, width := range []int{511, 512, 1000, 3000} {
		checkSlides[T](t, r, width, 1500)
	}
}

// checkSlides compares n windows over random numbers with special ones among them, stored in both ways.
func checkSlides[T float](t *testing.T, r *rand.Rand, width, n int) {
	t.Helper()
	specials := []T{T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1)), 0, T(math.Copysign(0, -1)), 1e30, -1e30}
	x := make([]T, n+width-1)
	for i := range x {
		x[i] = T(r.NormFloat64())
		if r.IntN(1+width) == 0 {
			x[i] = specials[r.IntN(len(specials))]
		}
		if r.IntN(3) == 0 {
			x[i] *= 0
		}
	}
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
	})
}
