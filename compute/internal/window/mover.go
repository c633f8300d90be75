package window

import (
	"sync/atomic"

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

	pair   function   // joins two windows into one
	finish function   // with the width, if the operation has it
	slides *slides[T] // how neighbouring windows are computed, if there is a kernel for that
	rooms  rooms[T]
	sorted []T
}

// NewMover returns a Mover for windows of width elements, which ends early, with anything as results, once stop is set.
func NewMover[T float](op Op, width int, stop *atomic.Bool) *Mover[T] {
	m := &Mover[T]{op: op, width: width, stop: stop, slides: newSlides[T](op, width)}
	t := dtype.Of[T]()
	switch op {
	case Min:
		m.pair = newFunction(kernel.Min, t, kernel.VectorVector)
	case Max:
		m.pair = newFunction(kernel.Max, t, kernel.VectorVector)
	default:
		m.pair = newFunction(kernel.Add, t, kernel.VectorVector)
		m.finish = newFunction(kernel.Div, t, kernel.VectorScalar)
	}
	return m
}

// Move sets dst to the values of windows: that of number i is of the elements i, i + step, i + 2·step, … of x, which has
// (width - 1)·step elements more than dst has, that is not empty. past says that dst is not read soon.
func (m *Mover[T]) Move(dst, x []T, step int, past bool) {
	x = x[:len(dst)+(m.width-1)*step]
	out := sink[T]{dst, past}
	slides := m.slides
	if step > 1 {
		slides = nil
	}
	if slides != nil && m.width < 4*slides.lanes {
		slides.run(out, nil, x, m.width-1)
		return
	}
	switch m.op {
	case Sum:
		m.sums(out, x, step, slides)
	case Mean:
		sums := sink[T]{dst: m.rooms.take(len(dst))}
		m.sums(sums, x, step, slides)
		callScalar(m.finish, out, sums.dst, T(m.width))
	case Var, Std:
		m.deviations(out, x, step)
	case Median:
		m.medians(dst, x, step)
	default:
		m.extrema(out, x, step, slides)
	}
	m.rooms.reset()
}

// sums adds windows of powers of two up to the width.
func (m *Mover[T]) sums(out sink[T], x []T, step int, slides *slides[T]) {
	var r []T // of the last bits of the width, covered elements
	s, k, covered := x, 1, 0
	if slides != nil {
		low, all := m.rooms.take(len(x)), m.rooms.take(len(x))
		slides.run(sink[T]{dst: low}, all, x, 0)
		k, covered = 2*slides.lanes, m.width&(4*slides.lanes-1)
		s, r = all[k-1:], low[max(covered, 1)-1:][:len(out.dst)]
		if 2*k < m.width {
			s, k = m.double(s, k), 2*k
		}
	}
	for ; 2*k <= m.width; k *= 2 {
		if m.width&k != 0 && slides == nil || m.width&k != 0 && k >= 4*slides.lanes {
			r, covered = m.joined(r, s[covered*step:][:len(out.dst)], covered), covered+k
		}
		if 2*k == m.width {
			call(m.pair, out, s, s[k*step:])
			return
		}
		s = m.double(s, k*step)
	}
	if covered == 0 {
		copy(out.dst, s) // windows of one element: wider ones are made where they belong
		return
	}
	call(m.pair, out, r, s[covered*step:])
}

// joined returns r, of covered elements, with the sums of those behind them.
func (m *Mover[T]) joined(r, s []T, covered int) []T {
	if covered == 0 {
		r = m.rooms.take(len(s))
		copy(r, s)
		return r
	}
	call(m.pair, sink[T]{dst: r}, r, s)
	return r
}

// double joins windows with those that are behind them.
func (m *Mover[T]) double(s []T, behind int) []T {
	next := m.rooms.next(len(s) - behind)
	call(m.pair, sink[T]{dst: next}, s, s[behind:])
	return next
}

// extrema takes the extrema of two windows, whose width is a power of two, that cover the whole one.
func (m *Mover[T]) extrema(out sink[T], x []T, step int, slides *slides[T]) {
	if m.width == 1 {
		copy(out.dst, x)
		return
	}
	s, k := x, 1
	if slides != nil {
		s, k = m.rooms.take(len(x)), 2*slides.lanes
		slides.run(sink[T]{dst: s}, nil, x, 0)
		s = s[k-1:]
	}
	for ; 2*k < m.width; k *= 2 {
		s = m.double(s, k*step)
	}
	call(m.pair, out, s, s[(m.width-k)*step:])
}
