package window

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// An Op is what is computed of each window.
type Op uint8

// The operations.
const (
	Sum Op = iota
	Mean
	Min
	Max
	Var // of the elements of the window, over their number
	Std
	Median
)

// A float is a type that windows are computed in.
type float interface{ float32 | float64 }

// A Mover computes windows of one width. It belongs to one goroutine.
type Mover[T float] struct {
	op    Op
	width int
	stop  *atomic.Bool

	add, least kernel.Func // of the operation
	rooms      [2][]T
	result     []T
	moments    [2][]T
	sorted     []T
}

// NewMover returns a Mover for windows of width elements, which ends early, with anything as results, once stop is set.
func NewMover[T float](op Op, width int, stop *atomic.Bool) *Mover[T] {
	m := &Mover[T]{op: op, width: width, stop: stop, add: kernel.Lookup(kernel.Add, dtype.Of[T](), kernel.VectorVector)}
	switch op {
	case Min:
		m.least = kernel.Lookup(kernel.Min, dtype.Of[T](), kernel.VectorVector)
	case Max:
		m.least = kernel.Lookup(kernel.Max, dtype.Of[T](), kernel.VectorVector)
	}
	return m
}

// Move returns the values of n windows over n + width - 1 elements. They are x, or valid until the next call.
func (m *Mover[T]) Move(x []T, n int) []T {
	if len(m.result) < n {
		m.result = make([]T, n)
	}
	switch m.op {
	case Sum:
		return m.sums(x, n)
	case Mean:
		r := m.result[:n]
		width := T(m.width)
		kernelCall(kernel.Lookup(kernel.Div, dtype.Of[T](), kernel.VectorScalar), r, m.sums(x, n), []T{width}, true)
		return r
	case Var, Std:
		return m.deviations(x, n)
	case Median:
		return m.medians(x, n)
	}
	return m.extrema(x, n)
}

// kernelCall calls a kernel with pieces of vectors; b may be one number for all.
func kernelCall[T float](f kernel.Func, dst, a, b []T, scalar bool) {
	step := kernel.MaxCallBytes / int(unsafe.Sizeof(dst[0]))
	for i := 0; i < len(dst); i += step {
		n := min(step, len(dst)-i)
		second := unsafe.Pointer(&b[0])
		if !scalar {
			second = unsafe.Pointer(&b[i])
		}
		kernel.Call(f, unsafe.Pointer(&dst[i]), unsafe.Pointer(&a[i]), second, nil, nil, n)
	}
}

// room returns memory that is used in turns.
func (m *Mover[T]) room(turn, n int) []T {
	r := &m.rooms[turn&1]
	if len(*r) < n {
		*r = make([]T, n)
	}
	return (*r)[:n]
}

// sums adds windows of powers of two up to the width.
func (m *Mover[T]) sums(x []T, n int) []T {
	var r []T
	s, covered := x, 0
	for k, turn := 1, 0; ; k, turn = 2*k, turn+1 {
		switch {
		case m.width&k == 0:
		case covered == 0 && k == m.width:
			return s[:n]
		case covered == 0:
			r = m.result[:n]
			copy(r, s)
			covered = k
		default:
			kernelCall(m.add, r, r, s[covered:covered+n], false)
			covered += k
		}
		if covered == m.width {
			return r
		}
		next := m.room(turn, len(x)-2*k+1)
		kernelCall(m.add, next, s[:len(next)], s[k:k+len(next)], false)
		s = next
	}
}

// extrema takes the extrema of two windows, whose width is a power of two, that cover the whole one.
func (m *Mover[T]) extrema(x []T, n int) []T {
	s, k := x, 1
	for turn := 0; 2*k <= m.width; turn++ {
		next := m.room(turn, len(x)-2*k+1)
		kernelCall(m.least, next, s[:len(next)], s[k:k+len(next)], false)
		s, k = next, 2*k
	}
	if k == m.width {
		return s[:n]
	}
	r := m.result[:n]
	kernelCall(m.least, r, s[:n], s[m.width-k:m.width-k+n], false)
	return r
}

// deviations joins the sums and the sums of squared distances from the mean of neighbouring windows, by the formula of Chan,
// Golub and LeVeque (Updating formulae and a pairwise algorithm for computing sample variances, 1979).
func (m *Mover[T]) deviations(x []T, n int) []T {
	sum, square := m.room(0, len(x)), m.room(1, len(x))
	for i, v := range x {
		sum[i], square[i] = v, v-v // of NaN and infinity NaN
	}
	var allSum, allSquare []T
	covered := 0
	for k := 1; ; k *= 2 {
		if m.width&k != 0 {
			if covered == 0 {
				allSum, allSquare = append(m.moments[0][:0], sum[:n]...), append(m.moments[1][:0], square[:n]...)
				m.moments = [2][]T{allSum, allSquare}
			} else {
				join(allSum, allSquare, sum[covered:], square[covered:], T(covered), T(k))
			}
			covered += k
		}
		if covered == m.width {
			break
		}
		left := len(x) - 2*k + 1
		join(sum[:left], square[:left], sum[k:], square[k:], T(k), T(k))
	}
	r := m.result[:n]
	for i, q := range allSquare[:n] {
		v := q / T(m.width)
		if m.op == Std {
			v = T(math.Sqrt(float64(v)))
		}
		r[i] = v
	}
	return r
}

// join adds windows of b elements to those of a elements before them.
func join[T float](sum, square, nextSum, nextSquare []T, a, b T) {
	share := a * b / (a + b)
	nextSum, nextSquare = nextSum[:len(sum)], nextSquare[:len(sum)]
	for i := range sum {
		d := nextSum[i]/b - sum[i]/a
		square[i] += nextSquare[i] + T(T(d*d)*share)
		sum[i] += nextSum[i]
	}
}
