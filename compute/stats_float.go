package compute

import (
	"math"
	"slices"

	"github.com/tstore/tstore/dtype"
)

// floatSums are the sums over n floats that are not NaN, and the number of NaNs.
type floatSums struct {
	n, nan, inf, zero int
	min, max          float64
	sum, lost         float64 // the sum is sum+lost, unless sum is not finite
	squares           float64 // of the deviations from the mean
}

type float interface{ float32 | float64 }

// A floatScanner is the memory of one goroutine that scans floats.
type floatScanner[T float] struct {
	folds *folds[T]
	rest  []T // memory for elements that are not NaN, made when it is needed
}

func newFloatScanner[T float]() scanner[T, floatSums] {
	f := &floatScanner[T]{folds: newFolds[T]()}
	return f.scan
}

// scan sums x at full speed first. If the sum is not finite, it sums x again without NaNs.
func (f *floatScanner[T]) scan(x []T) floatSums {
	s := f.sums(x)
	if isFinite(s.sum) {
		return s
	}

	kept, inf := f.rest[:0], 0
	for _, v := range x {
		if v != v {
			continue
		}
		if math.IsInf(float64(v), 0) {
			inf++
		}
		kept = append(kept, v)
	}

	f.rest = kept
	s = f.sums(kept)
	s.nan, s.inf = len(x)-len(kept), inf
	return s
}

// sums is the sums over elements that are not NaN.
func (f *floatScanner[T]) sums(x []T) floatSums {
	whole := len(x) &^ (lanes - 1)
	rest := sumFloats(x[whole:])
	rest.squares = sumSquares(x[whole:], rest.mean())
	return foldFloats(f.folds, x[:whole]).plus(rest)
}

// sumFloats returns floatSums of x without squares. No element is NaN. Elements are dealt to four
// sums, so that the processor adds them side by side.
func sumFloats[T float](x []T) floatSums {
	var s0, s1, s2, s3, e0, e1, e2, e3 float64
	lo, hi, zero := T(math.Inf(1)), T(math.Inf(-1)), 0

	i := 0
	for ; i+4 <= len(x); i += 4 {
		a, b, c, d := x[i], x[i+1], x[i+2], x[i+3]
		s0, e0 = addExactly(s0, e0, float64(a))
		s1, e1 = addExactly(s1, e1, float64(b))
		s2, e2 = addExactly(s2, e2, float64(c))
		s3, e3 = addExactly(s3, e3, float64(d))
	}
	for ; i < len(x); i++ {
		s0, e0 = addExactly(s0, e0, float64(x[i]))
	}

	for _, v := range x {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
		if v == 0 {
			zero++
		}
	}

	e0 += e1 + e2 + e3
	s0, e0 = addExactly(s0, e0, s1)
	s0, e0 = addExactly(s0, e0, s2)
	s0, e0 = addExactly(s0, e0, s3)
	return floatSums{n: len(x), zero: zero, min: float64(lo), max: float64(hi), sum: s0, lost: e0}
}

// addExactly adds v to sum and the rounding error of that to lost, by Knuth's TwoSum (The Art of
// Computer Programming, volume 2, section 4.2.2).
func addExactly(sum, lost, v float64) (newSum, newLost float64) {
	newSum = sum + v
	part := newSum - sum
	return newSum, lost + ((sum - (newSum - part)) + (v - part))
}

// squaresBlock is the number of squares that are added up one by one. Adding up more of them loses
// digits.
const squaresBlock = 512

// sumSquares is the sum of squared deviations from the mean. What the rounding of the mean adds to
// it is taken off again, so equal elements give 0.
func sumSquares[T float](x []T, mean float64) float64 {
	sum, deviation := 0.0, 0.0
	for block := range slices.Chunk(x, squaresBlock) {
		q, d := squares(block, mean)
		sum += q
		deviation += d
	}
	return max(0, sum-float64(deviation*deviation)/float64(max(1, len(x))))
}

// squares is the sum of squared deviations and that of deviations.
func squares[T float](x []T, mean float64) (q, d float64) {
	var q1, d1 float64
	i := 0
	for ; i+2 <= len(x); i += 2 {
		a, b := float64(x[i])-mean, float64(x[i+1])-mean
		d += a
		d1 += b
		q += float64(a * a) // the conversion forbids a fused multiply-add, whose result differs
		q1 += float64(b * b)
	}
	if i < len(x) {
		a := float64(x[i]) - mean
		d += a
		q += float64(a * a)
	}
	return q + q1, d + d1
}

func isFinite(v float64) bool { return v-v == 0 }

// total is the sum, rounded.
func (s floatSums) total() float64 {
	if !isFinite(s.sum) {
		return s.sum
	}
	return s.sum + s.lost
}

// mean is the mean, NaN where there are no elements.
func (s floatSums) mean() float64 { return s.total() / float64(s.n) }

// plus is the sums over the elements of both.
func (s floatSums) plus(t floatSums) floatSums {
	u := floatSums{
		n: s.n + t.n, nan: s.nan + t.nan, inf: s.inf + t.inf, zero: s.zero + t.zero,
		min: min(s.min, t.min), max: max(s.max, t.max),
		squares: s.squares + t.squares,
	}
	u.sum, u.lost = addExactly(s.sum, s.lost+t.lost, t.sum)
	if s.n > 0 && t.n > 0 {
		apart := t.mean() - s.mean()
		weight := float64(s.n) / float64(u.n) * float64(t.n)
		u.squares += float64(float64(apart*apart) * weight)
	}
	return u
}

// std is the standard deviation, NaN where there are no elements. That of equal elements is exactly
// 0.
func (s floatSums) std() float64 {
	if s.n > 0 && s.min == s.max && isFinite(s.min) {
		return 0
	}
	return math.Sqrt(s.squares / float64(s.n))
}

// summarize fills in what s says.
func (s floatSums) summarize(to *Summary) {
	to.NaN, to.Inf, to.Zero = s.nan, s.inf, s.zero
	to.Sum, to.Mean, to.Std = dtype.ScalarOf(s.total()), dtype.ScalarOf(s.mean()), s.std()
	if s.n > 0 {
		to.Min, to.Max = dtype.ScalarOf(s.min).Convert(to.DType), dtype.ScalarOf(s.max).Convert(to.DType)
	}
}
