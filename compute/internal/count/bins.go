package count

import (
	"context"
	"errors"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Histogram returns how many elements of x, which are real numbers, are in each bin.
func Histogram(ctx context.Context, x *view.Tensor, e *Edges, l *graph.Limits) ([]int64, error) {
	return countBins(x, e, areTight(l, e.numBins()), running(ctx, l, x))
}

// countBins counts the elements of x in bins, with one table for all workers where memory is tight.
// run runs a job.
func countBins(x *view.Tensor, e *Edges, tight bool, run func(*tally) error) ([]int64, error) {
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
	e     *Edges
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
	return binCounters[c.dtype](c.e, *c.table.add(c.e.numBins()))
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
func (e *Edges) countPatterns(t dtype.Type, patterns []int64) []int64 {
	counts := make([]int64, e.numBins())
	for pattern, n := range patterns {
		if n == 0 {
			continue
		}
		if i := e.bin(PatternScalar(t, pattern).Float64()); i >= 0 {
			counts[i] += n
		}
	}
	return counts
}

// binCounters return functions that count elements of more than 16 bits.
var binCounters = map[dtype.Type]func(e *Edges, counts []int64) func(b []byte) error{
	dtype.Int32: binCounterOf[int32], dtype.Int64: binCounterOf[int64],
	dtype.Uint32: binCounterOf[uint32], dtype.Uint64: binCounterOf[uint64],
	dtype.Float32: binCounterOf[float32], dtype.Float64: binCounterOf[float64],
}

func binCounterOf[T ordered](e *Edges, counts []int64) func(b []byte) error {
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
func weighBins(x, weights *view.Tensor, e *Edges, run func(*tally) error) ([]float64, error) {
	all := make([]float64, e.numBins())
	part := make([]float64, e.numBins())
	wide, at := pieces.AlignedBytes(8*pieces.ChunkElems), make([]int, pieces.ChunkElems)
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
		buf := weight.Buffer(pieces.ChunkElems)
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
