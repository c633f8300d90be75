package reduce

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// logSumExp is the accumulator of LogSumExp, of float64: x is the maximum m, y the sum of exp(a -
// m).
type logSumExp struct {
	maximum  *folded
	sub, exp kernel.Func
	log      kernel.Func
	sum      kernel.Fold
	out      dtype.Type
}

func newLogSumExp(out dtype.Type) *logSumExp {
	return &logSumExp{
		maximum: newFolded(Max, dtype.Float64, dtype.Float64),
		sub:     kernel.Lookup(kernel.Sub, dtype.Float64, kernel.VectorVector),
		exp:     kernel.Lookup(kernel.Exp, dtype.Float64, 0),
		log:     kernel.Lookup(kernel.Log, dtype.Float64, 0),
		sum:     kernel.LookupFold(kernel.FoldSum, dtype.Float64),
		out:     out,
	}
}

func (a *logSumExp) newState(n int) *state { return &state{x: make([]uint64, n), y: make([]uint64, n)} }

func (a *logSumExp) reset(s *state, n int) {
	a.maximum.reset(s, n)
	clear(s.y[:n])
}

func (a *logSumExp) add(w *scratch, s *state, first int, b *block) {
	// Take the maximum off each element first, so that no exponential overflows.
	maxima := unsafe.Slice((*float64)(w.get(useFold, b.cols*8)), b.cols)
	for i := range maxima {
		maxima[i] = math.Inf(-1)
	}
	fold(a.maximum.fold, unsafe.Pointer(&maxima[0]), nil, b, 1, 8)

	sums, lost, shift := w.zeros(useMean, b.cols), w.zeros(useLost, b.cols), w.zeros(useCount, b.cols)
	for i, m := range maxima {
		shift[i] = finite(m)
	}

	row := w.get(useMoved, b.cols*8)
	for r := range b.rows {
		kernel.Call(a.sub, row, unsafe.Add(b.ptr, r*b.stride), unsafe.Pointer(&shift[0]), nil, b.cols)
		kernel.Call(a.exp, row, row, nil, nil, b.cols)
		kernel.CallFold(a.sum, unsafe.Pointer(&sums[0]), unsafe.Pointer(&lost[0]), row, 0, 1, b.cols)
	}

	for i := range sums {
		sums[i] = total(sums[i], lost[i])
	}

	a.combine(s, first, maxima, sums)
}

// finite returns m, or 0 in place of an infinite maximum: exp of the elements is then their sum's.
func finite(m float64) float64 {
	if math.IsInf(m, 0) {
		return 0
	}
	return m
}

// combine adds sums of exp(a - m) to results. It uses functions of package kernel only, as those of
// package math differ between processors.
func (a *logSumExp) combine(s *state, first int, maxima, sums []float64) {
	x, y := floats(s.x)[first:], floats(s.y)[first:]
	shrink := make([]float64, 1)

	for i, m := range maxima {
		low, high := finite(x[i]), finite(m)
		switch {
		case sums[i] == 0 && m < x[i]: // nothing to add, also where the maxima are infinite
			continue
		case y[i] == 0:
			x[i], y[i] = m, sums[i]
			continue
		}

		// Scale the sum of the smaller maximum to the larger one.
		small, large := y[i], sums[i]
		if low > high {
			low, high = high, low
			small, large = large, small
		}

		shrink[0] = low - high
		kernel.Call(a.exp, unsafe.Pointer(&shrink[0]), unsafe.Pointer(&shrink[0]), nil, nil, 1)

		y[i] = large + float64(small*shrink[0])
		x[i] = max(m, x[i])
	}
}

func (a *logSumExp) merge(dst *state, first int, src *state, from, n int) {
	a.combine(dst, first, floats(src.x)[from:from+n], floats(src.y)[from:])
}

func (a *logSumExp) finish(s *state, n int, _ int64) []byte {
	x, y := floats(s.x[:n]), floats(s.y[:n])
	if n > 0 {
		kernel.Call(a.log, at(s.y, 0), at(s.y, 0), nil, nil, n)
	}
	for i := range x {
		x[i] = finite(x[i]) + y[i]
	}
	return convert(x, a.out, s.y)
}
