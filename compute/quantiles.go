package compute

import (
	"cmp"
	"math"
	"slices"

	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
)

// QuantileLevels are the levels of Summary.Quantiles.
var QuantileLevels = [...]float64{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}

// exactSample is the largest number of elements whose quantiles are exact. For more elements, a
// sample stands for them. It has at least exactSample elements and at most twice as many.
const exactSample = 1 << 16

// wide is the types of elements that are ordered and have more than 16 bits.
type wide interface {
	int32 | uint32 | int64 | uint64 | float32 | float64
}

// A sampler keeps one element of each of many stretches of equal length. Its position in the
// stretch is random, so that elements that repeat in steps do not deceive it, and yet the same each
// time. A quantile of such a sample has a standard deviation of less than 0.2 percent of the
// elements in its rank.
type sampler[T wide] struct {
	numElems, step int
	values         []T
}

func newSampler[T wide](numElems int) *sampler[T] {
	s := &sampler[T]{numElems: numElems, step: max(1, numElems/exactSample)}
	s.values = make([]T, (numElems+s.step-1)/s.step)
	return s
}

// take keeps the sampled ones of the elements from number first on. Goroutines may take different
// elements at once.
func (s *sampler[T]) take(x []T, first int) {
	if s.step == 1 {
		copy(s.values[first:], x)
		return
	}
	for k := first / s.step; k*s.step < first+len(x); k++ {
		if at := s.chosen(k) - first; at >= 0 && at < len(x) {
			s.values[k] = x[at]
		}
	}
}

// chosen returns the number of the element that stands for stretch k.
func (s *sampler[T]) chosen(k int) int {
	start := k * s.step
	return start + int(mix(uint64(k))%uint64(min(s.step, s.numElems-start)))
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number
// Generators, 2014).
func mix(v uint64) uint64 {
	v = (v + 1) * 0x9e3779b97f4a7c15
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// summarize orders the sample and fills in its quantiles.
func (s *sampler[T]) summarize(to *Summary) {
	values := slices.DeleteFunc(s.values, func(v T) bool { return v != v })
	to.QuantilesExact = s.step == 1
	if len(values) == 0 {
		return
	}
	var ranks [len(QuantileLevels)]int
	for i, level := range QuantileLevels {
		ranks[i] = rank(level, len(values))
	}
	order.Choose(values, ranks[:])
	for i, r := range ranks {
		to.Quantiles[i] = dtype.ScalarOf(values[r])
	}
}

// rank returns which of n sorted elements is the quantile: the first one that the share level of
// all does not exceed.
func rank(level float64, n int) int {
	return min(max(int(math.Ceil(level*float64(n)))-1, 0), n-1)
}

// A weight is an element and how often it occurs.
type weight struct {
	value dtype.Scalar
	order float64
	count int64
}

// summarizeWeights fills in the quantiles. None of the elements is NaN.
func summarizeWeights(weights []weight, to *Summary) {
	slices.SortStableFunc(weights, func(a, b weight) int { return cmp.Compare(a.order, b.order) })

	n := 0
	for _, w := range weights {
		n += int(w.count)
	}

	to.QuantilesExact = true
	if n == 0 {
		return
	}

	// The levels ascend, so one walk over the sorted elements finds them all. end is the rank after
	// the current element.
	at, end := 0, int(weights[0].count)
	for i, level := range QuantileLevels {
		for r := rank(level, n); r >= end; end += int(weights[at].count) {
			at++
		}
		to.Quantiles[i] = weights[at].value
	}
}
