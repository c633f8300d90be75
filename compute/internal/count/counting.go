package count

import (
	"errors"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Work is the work of nodes that count: of histograms and of bincount.
type Work struct{}

// String implements bulk. The node says what is counted.
func (Work) String() string { return "" }

// Memory implements bulk. Counts are predicted as the result that they are.
func (Work) Memory(*graph.Node, *graph.Limits) int64 { return 0 }

// Run implements pass.Worker.
func (Work) Run(w *pass.Work) error {
	if w.Node.Kind == graph.NodeHistogram {
		return histogramOfNode(w, w.Node)
	}
	return bincountOfNode(w, w.Node)
}

// histogramOfNode counts elements in bins, or adds up their weights, and keeps the result.
func histogramOfNode(w *pass.Work, n *graph.Node) error {
	e, err := edgesOfNode(w, n)
	if err != nil {
		return err
	}

	// Counts of what is computed on the way need no operand in memory.
	tight := areTight(w.Limits(), n.NumBins)
	if w.IsFed() {
		c := binTally{e: e, dtype: n.Args[0].DType}
		err := w.Feed(c.large() || tight, c.counter)
		return keepCounts(w, n, c.total(), err)
	}

	x := w.Operand(0)
	if len(n.Args) > 3 {
		weights := w.Operand(3)
		sums, err := weighBins(x, weights, e, tallying(w, x, weights))
		return keepCounts(w, n, sums, err)
	}
	counts, err := countBins(x, e, tight, tallying(w, x))
	return keepCounts(w, n, counts, err)
}

// edgesOfNode returns those of the bins of a histogram.
func edgesOfNode(w *pass.Work, n *graph.Node) (*Edges, error) {
	if n.Edges != nil {
		return GivenEdges(n.Edges)
	}
	lo, err1 := w.Operand(1).Get()
	hi, err2 := w.Operand(2).Get()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return EvenEdges(lo.Float64(), hi.Float64(), n.NumBins)
}

// bincountOfNode counts the values of elements, or adds up their weights, and keeps the result.
func bincountOfNode(w *pass.Work, n *graph.Node) error {
	tight := areTight(w.Limits(), n.NumBins)
	if w.IsFed() {
		var table tallyTable
		err := w.Feed(n.NumBins > maxTallyBins || tight, func() func([]byte) error {
			return valueCounters[n.Args[0].DType](table.add(n.NumBins), MaxBins)
		})
		return keepValues(w, n, table.total(n.NumBins), err)
	}

	x := w.Operand(0)
	if len(n.Args) > 1 {
		weights := w.Operand(1)
		sums, err := weighValues(x, weights, n.NumBins, tallying(w, x, weights))
		return keepCounts(w, n, sums, err)
	}
	counts, err := countValues(x, n.NumBins, MaxBins, tight, tallying(w, x))
	return keepValues(w, n, counts, err)
}

// tallying returns what runs a tally over tensors.
func tallying(w *pass.Work, tensors ...*view.Tensor) func(*tally) error {
	m := &pass.Memory{}
	for _, t := range tensors {
		m.Storages = append(m.Storages, t.Storage())
		m.Bytes += t.NumBytes()
	}
	return func(t *tally) error { return w.Exec(m, t) }
}

// keepValues keeps the counts of values. There must be no more of them than n has room for.
func keepValues(w *pass.Work, n *graph.Node, counts []int64, err error) error {
	if len(counts) > n.NumBins {
		err = errors.Join(err, errChanged)
	}
	return keepCounts(w, n, counts, err)
}

// keepCounts keeps counts or sums as the elements of n.
func keepCounts[T dtype.Element](w *pass.Work, n *graph.Node, counts []T, err error) error {
	if err != nil {
		return err
	}
	to, err := w.Result()
	if err != nil {
		return err
	}
	from, err := view.FromSlice(counts, n.Shape...)
	if err != nil {
		return err
	}
	return errors.Join(view.Copy(w.Context(), to, from), from.Close())
}
