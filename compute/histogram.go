package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
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
	return counts, e.at, nil
}

func histogramOf(ctx context.Context, x *view.Tensor, bins Bins, o *Options) (*edges, []int64, error) {
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
	counts, err := countBins(x, e, areTight(&opts, e.numBins()), func(t *tally) error {
		return exec.Run(ctx, t, exec.Options{Parallelism: opts.Parallelism, Storages: []*mmapstore.Storage{x.Storage()}})
	})
	return e, counts, err
}

// edges returns the edges of the bins. Even bins without a range take it from the elements of x.
func (b Bins) edges(ctx context.Context, x *view.Tensor, o *graph.Limits) (*edges, error) {
	if b.Edges != nil {
		if b.Count != 0 || b.Range != nil {
			return nil, errors.New("edges and a count or range of bins: expected one of them")
		}
		if err := roomForCounts(o, "a table", len(b.Edges)); err != nil {
			return nil, err
		}
		return givenEdges(slices.Clone(b.Edges))
	}

	count := b.Count
	if count == 0 {
		count = 10
	}
	if count < 0 || count > maxBins {
		return nil, fmt.Errorf("%d bins: expected 1 to %d", count, maxBins)
	}

	// Check the room first: finding the outer edges may read all of x.
	if err := roomForCounts(o, "a table", count); err != nil {
		return nil, err
	}

	lo, hi, err := b.outer(ctx, x)
	if err != nil {
		return nil, err
	}
	return evenEdges(lo, hi, count)
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

// countBins counts the elements of x in bins, with one table for all workers where memory is tight.
// run runs a job.
func countBins(x *view.Tensor, e *edges, tight bool, run func(*tally) error) ([]int64, error) {
	op, err := pieces.Open(x)
	if err != nil {
		return nil, err
	}
	c := binTally{e: e, dtype: x.DType()}
	err = run(&tally{operand: op, serial: tight || c.large(), newCounter: c.counter})
	return c.total(), errors.Join(err, op.Close())
}

// A binTally counts elements of one type in bins.
type binTally struct {
	e     *edges
	dtype dtype.Type
	table tallyTable
}

// byPattern reports whether elements are counted by their bits first.
func (c *binTally) byPattern() bool { return c.dtype.Size() <= 2 }

// large reports whether the counts are too many for each worker to have its own.
func (c *binTally) large() bool { return !c.byPattern() && c.e.numBins() > maxTallyBins }

// counter returns a function for one goroutine, which gets packed, aligned elements.
func (c *binTally) counter() func(b []byte) error {
	if c.byPattern() {
		return patternCounter(c.dtype, *c.table.add(numPatterns(c.dtype)))
	}
	return binCounter(c.dtype, c.e, *c.table.add(c.e.numBins()))
}

// total returns the counts of all functions.
func (c *binTally) total() []int64 {
	if c.byPattern() {
		return c.e.countPatterns(c.dtype, c.table.total(numPatterns(c.dtype)))
	}
	return c.table.total(c.e.numBins())
}

// countPatterns puts elements of at most 16 bits in bins. patterns says how often each bit pattern
// occurs.
func (e *edges) countPatterns(t dtype.Type, patterns []int64) []int64 {
	counts := make([]int64, e.numBins())
	for pattern, n := range patterns {
		if n == 0 {
			continue
		}
		if i := e.bin(patternScalar(t, pattern).Float64()); i >= 0 {
			counts[i] += n
		}
	}
	return counts
}

// binCounter returns a function that counts elements of type t of more than 16 bits.
func binCounter(t dtype.Type, e *edges, counts []int64) func(b []byte) error {
	switch t {
	case dtype.Int32:
		return binCounterOf[int32](e, counts)
	case dtype.Int64:
		return binCounterOf[int64](e, counts)
	case dtype.Uint32:
		return binCounterOf[uint32](e, counts)
	case dtype.Uint64:
		return binCounterOf[uint64](e, counts)
	case dtype.Float32:
		return binCounterOf[float32](e, counts)
	case dtype.Float64:
		return binCounterOf[float64](e, counts)
	}
	panic(fmt.Sprintf("BUG: compute: bins of elements of type %v", t))
}

func binCounterOf[T ordered](e *edges, counts []int64) func(b []byte) error {
	if e.margin >= 0.5 {
		return func(b []byte) error {
			countGiven(pieces.As[T](b), e, counts)
			return nil
		}
	}
	return func(b []byte) error {
		countEven(pieces.As[T](b), e, counts)
		return nil
	}
}

// weighBins adds up the weights of the elements of x in bins. Weights are float64. As in NumPy, it
// adds the weights of each chunk of 65,536 in order, and then the sums of the chunks.
func weighBins(x, weights *view.Tensor, e *edges, run func(*tally) error) ([]float64, error) {
	all := make([]float64, e.numBins())
	part := make([]float64, e.numBins())
	wide, at := pieces.AlignedBytes(8*chunkElems), make([]int, chunkElems)
	err := weighed(x, weights, run, func(b []byte, weights []float64) error {
		w := wide[:8*len(weights)]
		dtype.Convert(w, dtype.Float64, b, x.DType())
		at := at[:len(weights)]
		weigh(pieces.As[float64](w), weights, e, part, at)
		addTo(all, part, at)
		return nil
	})
	return all, err
}

// addTo adds the sums of a chunk to all, and clears them. at are the bins of the chunk's elements,
// so all other sums are 0. If there are more bins than elements, only these bins are looked at.
func addTo(all, part []float64, at []int) {
	if len(part) <= len(at) {
		for i, v := range part {
			all[i] += v
		}
		clear(part)
		return
	}
	for _, i := range at {
		if i >= 0 {
			all[i] += part[i]
			part[i] = 0
		}
	}
}

// weighed calls fn with each chunk of x and its weights, in order and on one worker.
func weighed(x, weights *view.Tensor, run func(*tally) error, fn func(b []byte, weights []float64) error) error {
	op, err := pieces.Open(x)
	if err != nil {
		return err
	}
	weight, err := pieces.Open(weights)
	if err != nil {
		return errors.Join(err, op.Close())
	}

	// first counts the elements that were read: the tally hands out chunks in order, as it is
	// serial.
	first := 0
	err = run(&tally{operand: op, serial: true, newCounter: func() func([]byte) error {
		buf := weight.Buffer(chunkElems)
		return func(b []byte) error {
			n := len(b) / x.DType().Size()
			w, err := weight.Fetch(buf, first, n)
			if err != nil {
				return err
			}
			first += n
			return fn(b, pieces.As[float64](w))
		}
	}})

	return errors.Join(err, op.Close(), weight.Close())
}
