package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/count"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Bins say how Histogram counts: in Count bins of one width, 10 if it is 0, over Range, or between
// the Edges given.
type Bins struct {
	Count int
	// Range is the lowest and the highest edge; nil means the smallest and the largest element. If
	// both are equal, it reaches from half below to half above. Elements outside are left out, as
	// NaN is.
	Range *[2]float64
	// Edges ascend; there is one more than there are bins.
	Edges []float64
}

// Histogram counts the elements of x in each bin, and returns the counts and the edges of the bins.
// x holds real numbers. As in NumPy, element e is in a bin if lower edge ≤ e < upper edge, and the
// last bin includes its upper edge. Elements are compared as float64, to which integers of more
// than 53 bits are rounded.
//
// If the range has to be found, x is read once more, and NaN or infinite elements are an error.
func Histogram(ctx context.Context, x *view.Tensor, bins Bins, o *Options) (counts []int64, edges []float64, err error) {
	e, counts, err := histogramOf(ctx, x, bins, o)
	if err != nil {
		return nil, nil, fmt.Errorf("histogram: %w", err)
	}
	return counts, e.At, nil
}

func histogramOf(ctx context.Context, x *view.Tensor, bins Bins, o *Options) (*count.Edges, []int64, error) {
	if x.DType().Kind() == dtype.KindComplex {
		return nil, nil, fmt.Errorf("elements of type %v: expected real numbers", x.DType())
	}
	opts, err := o.completed()
	if err != nil {
		return nil, nil, err
	}
	e, err := bins.edges(ctx, x, &opts)
	if err != nil {
		return nil, nil, err
	}
	counts, err := count.Histogram(ctx, x, e, &opts)
	return e, counts, err
}

// edges returns the edges of the bins. Even bins without a range take it from the elements of x.
func (b Bins) edges(ctx context.Context, x *view.Tensor, o *graph.Limits) (*count.Edges, error) {
	if b.Edges != nil {
		if b.Count != 0 || b.Range != nil {
			return nil, errors.New("edges and a count or range of bins: expected one of them")
		}
		if err := count.CheckRoom(o, "a table", len(b.Edges)); err != nil {
			return nil, err
		}
		return count.GivenEdges(slices.Clone(b.Edges))
	}

	numBins := b.Count
	if numBins == 0 {
		numBins = 10
	}
	if numBins < 0 || numBins > count.MaxBins {
		return nil, fmt.Errorf("%d bins: expected 1 to %d", numBins, count.MaxBins)
	}

	// Check the room first: finding the outer edges may read all of x.
	if err := count.CheckRoom(o, "a table", numBins); err != nil {
		return nil, err
	}

	lo, hi, err := b.outer(ctx, x)
	if err != nil {
		return nil, err
	}
	return count.EvenEdges(lo, hi, numBins)
}

// outer returns the lowest and the highest edge. As in NumPy, elements that are all equal get bins
// around their value.
func (b Bins) outer(ctx context.Context, x *view.Tensor) (lo, hi float64, err error) {
	switch {
	case b.Range != nil:
		lo, hi = b.Range[0], b.Range[1]
		if !(lo <= hi) {
			return 0, 0, fmt.Errorf("range from %v to %v: expected the lower end first", lo, hi)
		}
	case x.NumElems() == 0:
		return 0, 1, nil
	default:
		s, err := Stats(ctx, x)
		if err != nil {
			return 0, 0, err
		}
		if s.NaN > 0 || s.Inf > 0 {
			return 0, 0, fmt.Errorf("%d NaN and %d infinite elements have no place between a smallest and a largest one: give a range", s.NaN, s.Inf)
		}
		lo, hi = s.Min.Float64(), s.Max.Float64()
	}

	if lo == hi {
		lo, hi = lo-0.5, hi+0.5
	}
	return lo, hi, nil
}
