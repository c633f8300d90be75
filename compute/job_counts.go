package compute

import (
	"errors"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// histogram counts elements in bins, or adds up their weights, and keeps the result.
func (r *run) histogram(n *node) error {
	lo, err1 := r.memoryOf(n.args[1]).Get()
	hi, err2 := r.memoryOf(n.args[2]).Get()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	e, err := evenEdges(lo.Float64(), hi.Float64(), n.numBins)
	if err != nil {
		return err
	}
	x := r.memoryOf(n.args[0])
	if len(n.args) > 3 {
		weights := r.memoryOf(n.args[3])
		sums, err := weighBins(x, weights, e, r.tally(x, weights))
		return keepCounts(r, n, sums, err)
	}
	counts, err := countBins(x, e, r.tally(x))
	return keepCounts(r, n, counts, err)
}

// bincount counts the values of elements, or adds up their weights, and keeps the result.
func (r *run) bincount(n *node) error {
	x := r.memoryOf(n.args[0])
	if len(n.args) > 1 {
		weights := r.memoryOf(n.args[1])
		sums, err := weighValues(x, weights, n.numBins, r.tally(x, weights))
		return keepCounts(r, n, sums, err)
	}
	counts, err := countValues(x, n.numBins, r.tally(x))
	if len(counts) > n.numBins {
		err = errors.Join(err, errChanged)
	}
	return keepCounts(r, n, counts, err)
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
	return errors.Join(view.Copy(to, from), from.Close())
}
