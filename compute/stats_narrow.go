package compute

import (
	"context"
	"math/bits"
	"runtime"

	"github.com/tstore/tstore/compute/internal/count"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
)

// narrowStats summarises elements of at most 16 bits. It counts each bit pattern and derives the
// summary from the counts.
func narrowStats(ctx context.Context, o *pieces.Operand, to *Summary) error {
	counts, err := count.Patterns(ctx, o, runtime.GOMAXPROCS(0))
	if err != nil {
		return err
	}

	weights, nan := patternWeights(to.DType, counts)
	if to.DType.Kind() == dtype.KindFloat {
		sums := sumWeights(weights)
		sums.nan = nan
		sums.summarize(to)
	} else {
		sumIntWeights(weights).summarize(to)
	}

	summarizeWeights(weights, to)
	return nil
}

// patternWeights returns the elements that occur, and the number of NaNs.
func patternWeights(t dtype.Type, counts []int64) (weights []weight, nan int) {
	for pattern, n := range counts {
		if n == 0 {
			continue
		}
		s := count.PatternScalar(t, pattern)
		v := s.Float64()
		if v != v {
			nan += int(n)
			continue
		}
		weights = append(weights, weight{s, v, n})
	}
	return weights, nan
}

// sumWeights returns the sums over floats. A 16-bit float times a count is exact in float64.
func sumWeights(weights []weight) floatSums {
	var s floatSums
	for i, w := range weights {
		if i == 0 {
			s.min, s.max = w.order, w.order
		}

		s.n += int(w.count)
		if w.order < s.min {
			s.min = w.order
		}
		if w.order > s.max {
			s.max = w.order
		}
		s.sum, s.lost = addExactly(s.sum, s.lost, w.order*float64(w.count))

		switch {
		case w.order == 0:
			s.zero += int(w.count)
		case !isFinite(w.order):
			s.inf += int(w.count)
		}
	}

	// The mean is known only now: squares are of the distances from it.
	mean, lost := s.mean(), 0.0
	for _, w := range weights {
		d := w.order - mean
		s.squares, lost = addExactly(s.squares, lost, float64(d*d)*float64(w.count))
	}

	s.squares += lost
	return s
}

// sumIntWeights returns the sums over integers of at most 16 bits.
func sumIntWeights(weights []weight) intSums {
	var s intSums
	for i, w := range weights {
		v := int64(w.order)
		key := v
		if w.value.Type().Kind() != dtype.KindInt {
			key = orderKey(uint64(v))
		}

		if i == 0 {
			s.min, s.max = key, key
		}
		s.min, s.max = min(s.min, key), max(s.max, key)

		s.n += int(w.count)
		if v == 0 {
			s.zero += int(w.count)
		}

		// The products of 64 bits are added in 128 and 192 bits, as the sums may not fit in fewer.
		sum := v * w.count
		s.sum = add128(s.sum, [2]uint64{uint64(sum), uint64(sum >> 63)})
		hi, lo := bits.Mul64(uint64(v*v), uint64(w.count))
		s.squares = add192(s.squares, [3]uint64{lo, hi, 0})
	}

	return s
}
