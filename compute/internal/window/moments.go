package window

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// deviations joins neighbouring windows by their sums and their sums of squared distances from the
// mean. It doubles the windows up to the width, and joins those of the sizes that are bits of the
// width.
func (m *Mover[T]) deviations(dst, x []T, step int) {
	n := len(dst)
	sum, square := m.rooms.take(len(x)), m.rooms.take(len(x))
	allSum, allSquare := m.rooms.take(n), m.rooms.take(n)
	copy(sum, x)
	call(kernel.Lookup(kernel.Sub, dtype.Of[T](), kernel.VectorVector), square, x, x) // of NaN and infinity NaN

	covered := 0
	for k := 1; ; k *= 2 {
		if m.width&k != 0 {
			if covered == 0 {
				copy(allSum, sum)
				copy(allSquare, square)
			} else {
				join(allSum, allSquare, sum[covered*step:], square[covered*step:], covered, k)
			}
			covered += k
		}
		if covered == m.width {
			break
		}

		left := len(x) - (2*k-1)*step
		join(sum[:left], square[:left], sum[k*step:], square[k*step:], k, k)
	}

	if m.op == Var {
		callScalar(m.finish, dst, allSquare, T(m.width))
		return
	}

	callScalar(m.finish, allSquare, allSquare, T(m.width))
	call(kernel.Lookup(kernel.Sqrt, dtype.Of[T](), kernel.VectorVector), dst, allSquare, allSquare)
}

// join adds windows of b elements to those of a elements before them. b is a power of two.
func join[T float](sum, square, nextSum, nextSquare []T, a, b int) {
	if dtype.Of[T]() == dtype.Float64 {
		kernel.JoinMoments(doubles(sum), doubles(square), doubles(nextSum), doubles(nextSquare), float64(a), float64(b))
		return
	}
	before, behind := T(a), T(b)
	share := before * behind / (before + behind)
	nextSum, nextSquare = nextSum[:len(sum)], nextSquare[:len(sum)]
	for i := range sum {
		d := nextSum[i]/behind - sum[i]/before
		square[i] += nextSquare[i] + T(T(d*d)*share)
		sum[i] += nextSum[i]
	}
}

// doubles is s, of float64 elements.
func doubles[T float](s []T) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
