package compute

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// lanes is the number of sums that elements are dealt to, and foldElems the number that goes
// through several folds while the first cache holds it. Both are fixed, so that results are.
const (
	lanes     = 128
	foldElems = 32 * lanes
)

// folds are the kernels for statistics of elements T, and their accumulators.
type folds[T wide] struct {
	sum, lowest, highest, moments, trues kernel.Fold
	isZero                               kernel.Func
	compensated                          bool

	lo, hi   [lanes]T
	zeros    [lanes]int64
	isZeros  [foldElems]bool
	sums     [lanes]float64 // of floats
	lost     [lanes]float64
	intSums  [lanes]int64                   // of integers; the bits of uint64
	planes   [3 * kernel.MomentCols]float64 // of moments
	averages [lanes]float64
}

func newFolds[T wide]() *folds[T] {
	t := dtype.Of[T]()
	return &folds[T]{
		sum:         kernel.LookupFold(kernel.FoldSum, t),
		lowest:      kernel.LookupFold(kernel.FoldMin, t),
		highest:     kernel.LookupFold(kernel.FoldMax, t),
		moments:     kernel.LookupFold(kernel.FoldMoments, t),
		trues:       kernel.LookupFold(kernel.FoldSum, dtype.Bool),
		isZero:      kernel.Lookup(kernel.Not, t, 0),
		compensated: kernel.FoldSum.Compensated(t),
	}
}

// pass folds x into the extremes, the counts of zeros, and the sums at sums. The length of x is a
// positive multiple of lanes.

// The first element is in the range of x, so it is a start value for every lane.
func (f *folds[T]) pass(x []T, sums unsafe.Pointer) {
	for i := range f.lo {
		f.lo[i], f.hi[i] = x[0], x[0]
	}
	clear(f.zeros[:])

	var lost unsafe.Pointer
	if f.compensated {
		lost = unsafe.Pointer(&f.lost)
	}

	stride := lanes * int(unsafe.Sizeof(x[0]))
	// Piece by piece, each kernel after the first finds the elements in the cache.
	for len(x) > 0 {
		n := min(foldElems, len(x))
		at, rows := unsafe.Pointer(&x[0]), n/lanes
		kernel.CallFold(f.sum, sums, lost, at, stride, rows, lanes)
		kernel.CallFold(f.lowest, unsafe.Pointer(&f.lo), nil, at, stride, rows, lanes)
		kernel.CallFold(f.highest, unsafe.Pointer(&f.hi), nil, at, stride, rows, lanes)
		kernel.Call(f.isZero, unsafe.Pointer(&f.isZeros), at, nil, nil, n)
		kernel.CallFold(f.trues, unsafe.Pointer(&f.zeros), nil, unsafe.Pointer(&f.isZeros), lanes, rows, lanes)
		x = x[n:]
	}
}

// outer returns the smallest and the largest of the elements, and the number of zeros.
func (f *folds[T]) outer() (lo, hi T, zeros int) {
	lo, hi = f.lo[0], f.hi[0]
	for i := range lanes {
		lo, hi = min(lo, f.lo[i]), max(hi, f.hi[i])
		zeros += int(f.zeros[i])
	}
	return lo, hi, zeros
}

// foldFloats returns floatSums of x, whose length is a multiple of lanes. If x holds NaN, only sum
// and n are meaningful.
func foldFloats[T float](f *folds[T], x []T) floatSums {
	if len(x) == 0 {
		return floatSums{min: math.Inf(1), max: math.Inf(-1)}
	}

	clear(f.sums[:])
	clear(f.lost[:])
	f.pass(x, unsafe.Pointer(&f.sums))

	lo, hi, zero := f.outer()
	s := floatSums{n: len(x), zero: zero, min: float64(lo), max: float64(hi)}
	for i, v := range f.sums {
		s.sum, s.lost = addExactly(s.sum, s.lost+f.lost[i], v)
	}

	// The sum is no mean to measure squares from. The caller sums again without NaNs.
	if !isFinite(s.sum) {
		s.squares = math.NaN()
		return s
	}

	s.squares = f.squares(x, s.mean())
	return s
}

// squares is the sum of squared deviations of floats from their mean, which may be rounded: what
// that adds is taken off again.
func (f *folds[T]) squares(x []T, mean float64) float64 {
	for i := range f.averages {
		f.averages[i] = mean
	}
	clear(f.planes[:])
	stride := lanes * int(unsafe.Sizeof(x[0]))
	kernel.CallFold(f.moments, unsafe.Pointer(&f.planes), unsafe.Pointer(&f.averages), unsafe.Pointer(&x[0]), stride, len(x)/lanes, lanes)
	var deviation, squares float64
	for i := range lanes {
		deviation += f.planes[i]
		squares += f.planes[kernel.MomentCols+i] + f.planes[2*kernel.MomentCols+i]
	}
	return max(0, squares-float64(deviation*deviation)/float64(len(x)))
}

// foldInts is narrowSums and minMaxZero of a multiple of lanes of elements.
func foldInts[T int32 | uint32](f *folds[T], x []T) intSums {
	if len(x) == 0 {
		return intSums{min: math.MaxInt64, max: math.MinInt64}
	}
	clear(f.intSums[:])
	f.pass(x, unsafe.Pointer(&f.intSums))
	lo, hi, zero := f.outer()
	s := intSums{n: len(x), zero: zero, min: orderKey(lo), max: orderKey(hi)}
	var sum int64
	for _, v := range f.intSums {
		sum += v
	}
	s.sum = [2]uint64{uint64(sum), uint64(sum >> 63)}
	s.squares = sumIntSquares(x)
	return s
}

// sumIntSquares adds up squares in halves. 65,536 halves make no carry.
func sumIntSquares[T int32 | uint32](x []T) [3]uint64 {
	var lo, hi uint64
	for _, v := range x {
		square := uint64(int64(v) * int64(v))
		lo += square & math.MaxUint32
		hi += square >> 32
	}
	return add192([3]uint64{lo, 0, 0}, [3]uint64{hi << 32, hi >> 32, 0})
}
