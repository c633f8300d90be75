package reduce

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// sum is the accumulator of Sum, Mean, SumSquares and Norm of floats and complex numbers. It is in
// float64 and keeps what rounding loses: x is the sum of each component, and y is added in the end.
type sum struct {
	op    Op
	fold  kernel.Fold
	comps int // 2 for complex numbers
	elem  int // bytes of a component
	out   dtype.Type
}

func newSum(op Op, t, out dtype.Type) *sum {
	fold := kernel.FoldSum
	if op == SumSquares || op == Norm {
		fold = kernel.FoldSumSquares
	}
	c := t.Part()
	return &sum{op: op, fold: kernel.LookupFold(fold, c), comps: t.Size() / c.Size(), elem: c.Size(), out: out}
}

func (a *sum) newState(n int) *state {
	return &state{x: make([]uint64, n*a.comps), y: make([]uint64, n*a.comps)}
}

func (a *sum) reset(s *state, n int) {
	clear(s.x[:n*a.comps])
	clear(s.y[:n*a.comps])
}

func (a *sum) add(_ *scratch, s *state, first int, b *block) {
	fold(a.fold, at(s.x, first*a.comps), at(s.y, first*a.comps), b, a.comps, a.elem)
}

func (a *sum) merge(dst *state, first int, src *state, from, n int) {
	c := a.comps
	mergeSums(floats(dst.x)[first*c:(first+n)*c], floats(dst.y)[first*c:], floats(src.x)[from*c:], floats(src.y)[from*c:])
}

// mergeSums adds the sums x with their losses y to s with its losses l.
func mergeSums(s, l, x, y []float64) {
	l, x, y = l[:len(s)], x[:len(s)], y[:len(s)]
	for i := range s {
		a := s[i]
		sum := a + x[i]
		b := sum - a
		s[i] = sum
		l[i] += y[i] + ((a - (sum - b)) + (x[i] - b))
	}
}

// total returns the sum s with its loss l, which means nothing if s overflowed.
func total(s, l float64) float64 {
	if t := s + l; !math.IsInf(s, 0) && !math.IsNaN(t) {
		return t
	}
	return s
}

func (a *sum) finish(s *state, n int, count int64) []byte {
	x, y := floats(s.x[:n*a.comps]), floats(s.y)
	for i := range x {
		x[i] = total(x[i], y[i])
	}
	switch a.op {
	case Mean:
		divide(x, a.comps, s.n, count)
	case SumSquares, Norm:
		x = addPairs(x, a.comps)
		if a.op == Norm {
			roots(x)
		}
	}
	return convert(x, a.out, s.y)
}

// divide divides sums of comps components by their counts, which are all the same if n is nil.
func divide(x []float64, comps int, n []int64, count int64) {
	for i := range x {
		if n != nil {
			count = n[i/comps]
		}
		x[i] /= float64(count)
	}
}

// addPairs adds the two components of each value, if there are two.
func addPairs(x []float64, comps int) []float64 {
	if comps == 1 {
		return x
	}
	for i := range len(x) / 2 {
		x[i] = x[2*i] + x[2*i+1]
	}
	return x[:len(x)/2]
}

func roots(x []float64) {
	for i := range x {
		x[i] = math.Sqrt(x[i])
	}
}

// convert returns the elements of type to with the values x, which are pairs of components if to is
// complex. They take the place of room, which has at least as many words as there are values.
func convert(x []float64, to dtype.Type, room []uint64) []byte {
	if len(x) == 0 {
		return nil
	}
	from, n := dtype.Float64, len(x)
	if to.Kind() == dtype.KindComplex {
		from, n = dtype.Complex128, n/2
	}
	dst := unsafe.Slice((*byte)(at(room, 0)), n*to.Size())
	dtype.Convert(dst, to, unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*8), from)
	return dst
}
