package window

import (
	"sync/atomic"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// An Op is the operation on each window.
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

	pair   kernel.Func // joins two windows into one
	finish kernel.Func // with the width, if the operation has it
	slides *slides[T]  // how windows are computed, if there is a kernel for that
	rooms  rooms[T]
	sorted []T
}

// NewMover returns a Mover for windows of width elements, which ends early, with anything as
// results, once stop is set.
func NewMover[T float](op Op, width int, stop *atomic.Bool) *Mover[T] {
	m := &Mover[T]{op: op, width: width, stop: stop, slides: newSlides[T](op, width)}
	t := dtype.Of[T]()
	switch op {
	case Min:
		m.pair = kernel.Lookup(kernel.Min, t, kernel.VectorVector)
	case Max:
		m.pair = kernel.Lookup(kernel.Max, t, kernel.VectorVector)
	default:
		m.pair = kernel.Lookup(kernel.Add, t, kernel.VectorVector)
		m.finish = kernel.Lookup(kernel.Div, t, kernel.VectorScalar)
	}
	return m
}

// Move sets dst to the values of windows: that of number i is of the elements i, i + step, i +
// 2·step, … of x, which has (width - 1)·step elements more than dst has, a positive multiple of
// step. past says that dst is not read soon.
func (m *Mover[T]) Move(dst, x []T, step int, past bool) {
	if m.AtOnce(step) {
		m.MoveLanes(dst, x, step, step, past)
	} else {
		m.passes(dst, x[:len(dst)+(m.width-1)*step], step)
	}
}

// AtOnce reports whether windows of so many lanes side by side are computed in one go. Those of
// others take memory for many elements.
func (m *Mover[T]) AtOnce(cols int) bool {
	return m.slides != nil && (cols == 1 || cols >= m.slides.lanes)
}

// MoveLanes is Move for the first cols of step lanes side by side, if these are computed at once:
// dst and x end with the last of them.
func (m *Mover[T]) MoveLanes(dst, x []T, cols, step int, past bool) {
	out, x := sink[T]{dst, past}, x[:len(dst)+(m.width-1)*step]
	if step == 1 {
		m.slides.moveAlong(out, x)
	} else {
		m.slides.moveAcross(out, x, cols, step)
	}
}

// passes goes through all elements many times.
func (m *Mover[T]) passes(dst, x []T, step int) {
	switch m.op {
	case Sum:
		m.sums(dst, x, step)
	case Mean:
		sums := m.rooms.take(len(dst))
		m.sums(sums, x, step)
		callScalar(m.finish, dst, sums, T(m.width))
	case Var, Std:
		m.deviations(dst, x, step)
	case Median:
		m.medians(dst, x, step)
	default:
		m.extrema(dst, x, step)
	}
	m.rooms.reset()
}

// sums adds up windows. It doubles their size up to the width, and joins the sizes that are bits of
// the width.
func (m *Mover[T]) sums(dst, x []T, step int) {
	var r []T // of the last bits of the width, covered elements

	s, k, covered := x, 1, 0
	for ; 2*k <= m.width; k *= 2 {
		if m.width&k != 0 {
			r, covered = m.joined(r, s[covered*step:][:len(dst)], covered), covered+k
		}
		if 2*k == m.width {
			call(m.pair, dst, s, s[k*step:])
			return
		}
		s = m.double(s, k*step)
	}

	if covered == 0 {
		copy(dst, s) // windows of one element: wider ones are made where they belong
		return
	}

	call(m.pair, dst, r, s[covered*step:])
}

// joined returns r, of covered elements, with the sums of those behind them.
func (m *Mover[T]) joined(r, s []T, covered int) []T {
	if covered == 0 {
		r = m.rooms.take(len(s))
		copy(r, s)
		return r
	}
	call(m.pair, r, r, s)
	return r
}

// double joins windows with those that are behind them.
func (m *Mover[T]) double(s []T, behind int) []T {
	next := m.rooms.next(len(s) - behind)
	call(m.pair, next, s, s[behind:])
	return next
}

// extrema takes the extrema of two windows, whose width is a power of two, that cover the whole
// one.
func (m *Mover[T]) extrema(dst, x []T, step int) {
	if m.width == 1 {
		copy(dst, x)
		return
	}
	s, k := x, 1
	for ; 2*k < m.width; k *= 2 {
		s = m.double(s, k*step)
	}
	call(m.pair, dst, s, s[(m.width-k)*step:])
}
