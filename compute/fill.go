package compute

import (
	"cmp"

	"github.com/tstore/tstore/compute/internal/stream"
	"github.com/tstore/tstore/view"
)

// fillBoxes fills one box of all targets after the other, from the one that has element number first on, while a helper
// reads ahead what the next ones need and writes back what is behind.
func (r *run) fillBoxes(j *job, b boxes, targets []*view.Tensor, first int, stored func(n int) error) error {
	r.parts, r.bytes = b.count, j.bytes()
	for _, t := range targets {
		r.bytes += t.NumBytes()
	}
	defer func() { r.parts = 0 }()
	if first >= numElems(j.shape) {
		return r.ctx.Err()
	}
	begin := b.of(first)
	ahead := stream.Start(r.ctx, r.streamed(j, b, begin, targets), b.count-begin, &stream.Options{DropBehind: r.bytes > r.plan.opts.MemoryLimit})
	for i := begin; i < b.count; i++ {
		err := ahead.Wait(i - begin)
		if err == nil {
			err = r.fillBox(j, b, i, targets)
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

// streamed returns what a job reads of files, and where it stores, box by box from box begin on.
func (r *run) streamed(j *job, b boxes, begin int, targets []*view.Tensor) []stream.Operand {
	operands := r.ahead(j, b)
	for i, op := range operands {
		operands[i].Range = func(i int) (off, n int64) { return op.Range(begin + i) }
	}
	if b.count > maxAhead {
		return operands
	}
	for _, t := range targets {
		if !t.Storage().FileBacked() || !t.Layout().IsContiguous() {
			continue
		}
		size, start := int64(t.DType().Size()), int64(t.Offset())
		operands = append(operands, stream.Operand{Storage: t.Storage(), Write: true, Range: func(i int) (off, n int64) {
			lo, hi := b.first(begin+i), b.first(begin+i+1)
			return (start + int64(lo)) * size, int64(hi-lo) * size
		}})
	}
	return operands
}

// fillBox computes box i where it belongs.
func (r *run) fillBox(j *job, b boxes, i int, targets []*view.Tensor) error {
	part, err := j.part(b.at(i))
	if err != nil {
		return err
	}
	boxes := make([]*view.Tensor, len(targets))
	for k, t := range targets {
		if boxes[k], err = t.Index(b.at(i)); err != nil {
			return err
		}
	}
	r.part = i
	r.done.Store(0)
	return r.write(part, boxes)
}
