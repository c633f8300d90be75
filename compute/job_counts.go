package compute

import (
	"errors"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Counting is the work of nodes that count: of histograms and of bincount.
type counting struct{}

// String implements bulk. The node says what is counted.
func (counting) String() string { return "" }

// Memory implements bulk. Counts are predicted as the result that they are.
func (counting) Memory(*node, *limits) int64 { return 0 }

// Run implements wholeWorker.
func (counting) Run(w *passWork) error {
	if w.node.kind == nodeHistogram {
		return histogramOfNode(w, w.node)
	}
	return bincountOfNode(w, w.node)
}

// histogramOfNode counts elements in bins, or adds up their weights, and keeps the result.
func histogramOfNode(w *passWork, n *node) error {
	e, err := edgesOfNode(w, n)
	if err != nil {
		return err
	}

	// Counts of what is computed on the way need no operand in memory.
	tight := areTight(w.limits(), n.numBins)
	if w.isFed() {
		c := binTally{e: e, dtype: n.args[0].dtype}
		err := w.feed(c.large() || tight, c.counter)
		return keepCounts(w, n, c.total(), err)
	}

	x := w.operand(0)
	if len(n.args) > 3 {
		weights := w.operand(3)
		sums, err := weighBins(x, weights, e, tallying(w, x, weights))
		return keepCounts(w, n, sums, err)
	}
	counts, err := countBins(x, e, tight, tallying(w, x))
	return keepCounts(w, n, counts, err)
}

// edgesOfNode returns those of the bins of a histogram.
func edgesOfNode(w *passWork, n *node) (*edges, error) {
	if n.edges != nil {
		return givenEdges(n.edges)
	}
	lo, err1 := w.operand(1).Get()
	hi, err2 := w.operand(2).Get()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return evenEdges(lo.Float64(), hi.Float64(), n.numBins)
}

// bincountOfNode counts the values of elements, or adds up their weights, and keeps the result.
func bincountOfNode(w *passWork, n *node) error {
	tight := areTight(w.limits(), n.numBins)
	if w.isFed() {
		var table tallyTable
		err := w.feed(n.numBins > maxTallyBins || tight, func() func([]byte) error {
			return valueCounter(n.args[0].dtype, table.add(n.numBins), maxBins)
		})
		return keepValues(w, n, table.total(n.numBins), err)
	}

	x := w.operand(0)
	if len(n.args) > 1 {
		weights := w.operand(1)
		sums, err := weighValues(x, weights, n.numBins, tallying(w, x, weights))
		return keepCounts(w, n, sums, err)
	}
	counts, err := countValues(x, n.numBins, maxBins, tight, tallying(w, x))
	return keepValues(w, n, counts, err)
}

// areTight reports whether counts for each worker would take more memory than there is to be.
func areTight(o *limits, numBins int) bool { return numBins > countsEach(o) }

// countsEach returns the number of counts that each worker may have for itself.
func countsEach(o *limits) int {
	return int(max(o.MemoryLimit, leastCounts) / 4 / 8 / int64(o.Parallelism))
}

// tallying returns what runs a tally over tensors.
func tallying(w *passWork, tensors ...*view.Tensor) func(*tally) error {
	m := &memory{}
	for _, t := range tensors {
		m.storages = append(m.storages, t.Storage())
		m.bytes += t.NumBytes()
	}
	return func(t *tally) error { return w.exec(m, t) }
}

// keepValues keeps the counts of values, of which there must be no more than n has room for.
func keepValues(w *passWork, n *node, counts []int64, err error) error {
	if len(counts) > n.numBins {
		err = errors.Join(err, errChanged)
	}
	return keepCounts(w, n, counts, err)
}

// keepCounts keeps counts or sums as the elements of n.
func keepCounts[T dtype.Element](w *passWork, n *node, counts []T, err error) error {
	if err != nil {
		return err
	}
	to, err := w.result()
	if err != nil {
		return err
	}
	from, err := view.FromSlice(counts, n.shape...)
	if err != nil {
		return err
	}
	return errors.Join(view.Copy(w.context(), to, from), from.Close())
}
