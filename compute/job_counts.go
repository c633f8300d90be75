package compute

import (
	"errors"
	"sync"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// histogram counts elements in bins, or adds up their weights, and keeps the result.
func (r *run) histogram(j *job) error {
	n := j.keeps[0]
	e, err := r.edges(n)
	if err != nil {
		return err
	}
	if j.program != nil {
		c := binTally{e: e, dtype: n.args[0].dtype}
		err := r.feed(j, c.large() || r.plan.opts.tight(n.numBins), c.counter)
		return keepCounts(r, n, c.total(), err)
	}
	x := r.memoryOf(n.args[0])
	if len(n.args) > 3 {
		weights := r.memoryOf(n.args[3])
		sums, err := weighBins(x, weights, e, r.tally(x, weights))
		return keepCounts(r, n, sums, err)
	}
	counts, err := countBins(x, e, r.plan.opts.tight(n.numBins), r.tally(x))
	return keepCounts(r, n, counts, err)
}

// edges returns those of the bins of a histogram.
func (r *run) edges(n *node) (*edges, error) {
	if n.edges != nil {
		return givenEdges(n.edges)
	}
	lo, err1 := r.memoryOf(n.args[1]).Get()
	hi, err2 := r.memoryOf(n.args[2]).Get()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return evenEdges(lo.Float64(), hi.Float64(), n.numBins)
}

// bincount counts the values of elements, or adds up their weights, and keeps the result.
func (r *run) bincount(j *job) error {
	n := j.keeps[0]
	if j.program != nil {
		var table tallyTable
		err := r.feed(j, n.numBins > maxTallyBins || r.plan.opts.tight(n.numBins), func() func([]byte) error {
			return valueCounter(n.args[0].dtype, table.add(n.numBins), maxBins)
		})
		return keepValues(r, n, table.total(n.numBins), err)
	}
	x := r.memoryOf(n.args[0])
	if len(n.args) > 1 {
		weights := r.memoryOf(n.args[1])
		sums, err := weighValues(x, weights, n.numBins, r.tally(x, weights))
		return keepCounts(r, n, sums, err)
	}
	counts, err := countValues(x, n.numBins, maxBins, r.plan.opts.tight(n.numBins), r.tally(x))
	return keepValues(r, n, counts, err)
}

// tight reports whether counts for each worker would take more memory than there is to be.
func (o *Options) tight(numBins int) bool { return numBins > o.countsEach() }

// countsEach returns the number of counts that each worker may have for itself.
func (o *Options) countsEach() int {
	return int(max(o.MemoryLimit, leastCounts) / 4 / 8 / int64(o.Parallelism))
}

// feed gives the elements that the program of a counting pass computes to functions of newCounter, to one of them if it
// is shared.
func (r *run) feed(j *job, shared bool, newCounter func() func([]byte) error) error {
	m, err := r.bind(j, nil)
	if err != nil {
		return err
	}
	defer m.close()
	if m.empty {
		return nil
	}
	if shared {
		newCounter = inTurns(newCounter())
	}
	size := j.keeps[0].args[0].dtype.Size()
	m.bytes += int64(m.elems) * int64(size)
	loop := exec.NewFeed(m.program, &m.nest, m.operands, m.chunkElems(r.plan.opts.Parallelism), size, func() func([]byte) error {
		count := newCounter()
		return func(b []byte) error {
			if r.stop.Load() {
				return nil // the elements have not been computed
			}
			return count(b)
		}
	})
	return r.exec(m, loop)
}

// inTurns returns what makes functions that take turns to call count.
func inTurns(count func([]byte) error) func() func([]byte) error {
	var mu sync.Mutex
	return func() func([]byte) error {
		return func(b []byte) error {
			mu.Lock()
			defer mu.Unlock()
			return count(b)
		}
	}
}

// tally returns what runs a job over tensors.
func (r *run) tally(tensors ...*view.Tensor) func(*tally) error {
	m := &memory{}
	for _, t := range tensors {
		m.storages = append(m.storages, t.Storage())
		m.bytes += t.NumBytes()
	}
	return func(t *tally) error { return r.exec(m, t) }
}

// keepValues keeps the counts of values, of which there must be no more than n has room for.
func keepValues(r *run, n *node, counts []int64, err error) error {
	if len(counts) > n.numBins {
		err = errors.Join(err, errChanged)
	}
	return keepCounts(r, n, counts, err)
}

// keepCounts keeps counts or sums as the elements of n.
func keepCounts[T dtype.Element](r *run, n *node, counts []T, err error) error {
	if err != nil {
		return err
	}
	to, err := r.keep(n)
	if err != nil {
		return err
	}
	from, err := view.FromSlice(counts, n.shape...)
	if err != nil {
		return err
	}
	return errors.Join(view.Copy(r.ctx, to, from), from.Close())
}
