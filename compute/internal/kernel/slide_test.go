package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// TestSliders compares windows of each instruction set with what is said of a Slide.
func TestSliders(t *testing.T) {
	sets := map[string]*slides{}
	if hasAVX2() {
		sets["AVX2"] = &slidesAVX2
	}
	if hasAVX512() {
		sets["AVX512"] = &slidesAVX512
	}
	for name, s := range sets {
		t.Run(name+"/float32", func(t *testing.T) { testSliders[float32](t, s) })
		t.Run(name+"/float64", func(t *testing.T) { testSliders[float64](t, s) })
	}
}

func testSliders[T float32 | float64](t *testing.T, s *slides) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, op := range []SlideOp{SlideSum, SlideMin, SlideMax} {
		for width := 1; width < 1500; width += 1 + width/6 {
			for _, divisor := range []float64{0, float64(width)} {
				checkAlong[T](t, r, s, op, width, divisor)
				checkAcross[T](t, r, s, op, width, divisor)
			}
		}
	}
}

// windowed returns windows over lanes side by side, of which there are cols, in Go.
func windowed[T float32 | float64](op SlideOp, x []T, cols, width int, divisor float64) []T {
	join := [numSlideOps]func(a, b T) T{func(a, b T) T { return a + b }, minOf[T], maxOf[T]}[op]
	var joined []T // of the windows that end with an element
	covered := 0
	windows := append([]T{}, x...)
	for k := 1; covered < width; k *= 2 {
		if width&k != 0 && covered == 0 {
			joined, covered = append([]T{}, windows...), k
		} else if width&k != 0 {
			for i := len(x) - 1; i >= k*cols; i-- {
				joined[i] = join(joined[i-k*cols], windows[i])
			}
			covered += k
		}
		for i := len(x) - 1; i >= k*cols; i-- {
			windows[i] = join(windows[i-k*cols], windows[i])
		}
	}
	for i := range joined {
		if divisor != 0 && op == SlideSum {
			joined[i] /= T(divisor)
		}
	}
	return joined[(width-1)*cols:]
}

// slideElems returns random elements with special ones among them.
func slideElems[T float32 | float64](r *rand.Rand, n, width int) []T {
	specials := []T{T(math.NaN()), T(math.Inf(1)), T(math.Inf(-1)), 0, T(math.Copysign(0, -1)), 1e30, -1e30}
	zeros := r.IntN(2) == 0
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
		if zeros {
			x[i] *= 0
		}
		if r.IntN(2*width) == 0 {
			x[i] = specials[r.IntN(len(specials))]
		}
	}
	return x
}

func checkAlong[T float32 | float64](t *testing.T, r *rand.Rand, s *slides, op SlideOp, width int, divisor float64) {
	t.Helper()
	w, by := s.newAlong(op, dtype.Of[T](), width, divisor)
	n := (2*width/by + 7) * by
	for range 2 { // the second time behind other elements
		x := slideElems[T](r, n, width)
		got := aligned[T](n)
		for at := 0; at < n; {
			part := min(n-at, by*(1+r.IntN(n/by)))
			w.Along(unsafe.Pointer(&got[at]), unsafe.Pointer(&x[at]), part, r.IntN(2) == 0)
			at += part
		}
		want := windowed(op, x, 1, width, divisor)
		sameWindows(t, fmt.Sprintf("operation %d of %d elements", op, width), got[width-1:], want)
	}
}

func checkAcross[T float32 | float64](t *testing.T, r *rand.Rand, s *slides, op SlideOp, width int, divisor float64) {
	t.Helper()
	size := dtype.Of[T]().Size()
	vectors := 1 + r.IntN(8)
	cols := vectors * s.width / size
	w := s.newAcross(op, dtype.Of[T](), width, 8*s.width, divisor)
	rows, to := width+5, 8*s.width/size
	for range 2 {
		x := slideElems[T](r, rows*cols, width)
		got := aligned[T](rows * to)
		for at := 0; at < rows; {
			part := min(rows-at, 1+r.IntN(rows))
			a := SlideArea{Rows: part, Vectors: vectors, From: cols * size, To: to * size}
			w.Across(unsafe.Pointer(&got[at*to]), unsafe.Pointer(&x[at*cols]), a, r.IntN(2) == 0)
			at += part
		}
		want := windowed(op, x, cols, width, divisor)
		for row := width - 1; row < rows; row++ {
			sameWindows(t, fmt.Sprintf("operation %d of %d rows, %d vectors, row %d", op, width, vectors, row), got[row*to:][:cols], want[(row-width+1)*cols:][:cols])
			for _, v := range got[row*to+cols : (row+1)*to] {
				if v != 0 {
					t.Fatalf("operation %d of %d rows: stored beyond %d vectors", op, width, vectors)
				}
			}
		}
	}
}

// aligned returns n elements that are aligned to 64 bytes.
func aligned[T float32 | float64](n int) []T {
	size := dtype.Of[T]().Size()
	x := make([]T, n+64/size)
	return x[(-uintptr(unsafe.Pointer(&x[0]))&63)/uintptr(size):][:n]
}

func sameWindows[T float32 | float64](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range want {
		a, b := float64(got[i]), float64(want[i])
		if math.Float64bits(a) != math.Float64bits(b) && !(a != a && b != b) {
			t.Fatalf("%s, result %d: got %v, want %v", what, i, got[i], want[i])
		}
	}
}
