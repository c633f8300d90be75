package pass

import (
	"cmp"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/stream"
	"github.com/tstore/tstore/view"
)

// fillBoxes fills all targets box by box, from element number first on. A helper reads ahead what
// the next boxes need and writes back finished ones.
func (r *run) fillBoxes(pr *passRun, b boxes, targets []*view.Tensor, first int, stored func(n int) error) error {
	r.parts, r.bytes = b.count, pr.bytes()
	for _, t := range targets {
		r.bytes += t.NumBytes()
	}
	return r.inBoxes(b, first, append(r.ahead(pr, b), written(b, targets)...), func(i int) error {
		r.part = i
		return r.fillPart(pr, b.at(i), targets)
	}, stored)
}

// inBoxes calls fill for each box in order, from the one that has element number first on, and then
// calls stored with the number of elements up to its end. A helper prepares the stretches of
// operands that the boxes touch. r.parts says how far fill is.
func (r *run) inBoxes(b boxes, first int, operands []stream.Operand, fill func(i int) error, stored func(n int) error) error {
	defer func() { r.parts = 0 }()
	if first >= graph.NumElems(b.shape) {
		return r.ctx.Err()
	}
	begin := b.of(first)
	for k, op := range operands {
		operands[k].Range = func(i int) (off, n int64) { return op.Range(begin + i) }
	}

	// A helper follows the boxes, counted from the first one that is filled.
	ahead := stream.Start(r.ctx, operands, b.count-begin, &stream.Options{DropBehind: r.bytes > r.plan.opts.MemoryLimit})
	for i := begin; i < b.count; i++ {
		err := ahead.Wait(i - begin)
		if err == nil {
			err = fill(i)
		}
		if err == nil {
			ahead.Done(i - begin)
			err = stored(b.first(i + 1))
		}
		if err != nil {
			return cmp.Or(err, ahead.Close())
		}
	}
	return ahead.Close()
}

// written returns where files are stored to, box by box.
func written(b boxes, targets []*view.Tensor) []stream.Operand {
	if b.count > maxAhead {
		return nil
	}
	var operands []stream.Operand
	for _, t := range targets {
		if !t.Storage().FileBacked() || !t.Layout().IsContiguous() {
			continue
		}
		size, start := int64(t.DType().Size()), int64(t.Offset())
		operands = append(operands, stream.Operand{Storage: t.Storage(), Write: true, Range: func(i int) (off, n int64) {
			lo, hi := b.first(i), b.first(i+1)
			return (start + int64(lo)) * size, int64(hi-lo) * size
		}})
	}
	return operands
}

// fillPart computes the elements that ix selects in their places.
func (r *run) fillPart(pr *passRun, ix view.Index, targets []*view.Tensor) error {
	part, err := pr.part(ix)
	if err != nil {
		return err
	}
	parts := make([]*view.Tensor, len(targets))
	for k, t := range targets {
		if parts[k], err = t.Index(ix); err != nil {
			return err
		}
	}
	r.done.Store(0)
	return r.timed(graph.NumElems(part.shape), func() error { return r.write(part, parts) })
}
