package compute

import (
	"cmp"

	"github.com/tstore/tstore/compute/internal/stream"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// IsPiecewise reports whether elements are computed where they are asked for. It is false where the expression is, or
// is a view of, what has to be computed as a whole, such as sums and running sums: then pieces are only copied. Parts
// of an expression may still need that, as the mean does in "x - x.mean()".
func (s *Stream) IsPiecewise() bool {
	n := s.value
	for n.kind == nodeView {
		n = n.args[0]
	}
	return !n.isKept()
}

// Fill computes the elements from number first on, in C order, and stores them in dst, which has room for all of them
// and shares none with the tensors that are read. It calls stored whenever elements before number n are all there, those
// before first aside; its error ends the work and is returned as it is. Some elements before first may be stored again,
// with the bytes that they have. After an error, what is behind the last n holds anything. Options.Progress is told how
// far it is.
func (s *Stream) Fill(dst *mmapstore.Storage, first int, stored func(n int) error) error {
	r := &run{plan: s.plan, ctx: s.ctx}
	defer r.close()
	if err := s.begin(r, s.value.unshaped()); err != nil {
		return err
	}
	j := s.last()
	all, err := view.NewTensor(dst, s.DType(), whole(j.shape))
	if err != nil {
		return err
	}
	err = s.fillBoxes(r, newBoxes(j.shape, s.pieceBytes()/s.DType().Size()), all, first, stored)
	return cmp.Or(err, all.Close())
}

// fillBoxes fills one box after the other, while a helper reads ahead what the next ones need and writes back what is
// behind.
func (s *Stream) fillBoxes(r *run, b boxes, all *view.Tensor, first int, stored func(n int) error) error {
	r.parts, r.bytes = b.count, s.last().bytes()+all.NumBytes()
	if first >= all.NumElems() {
		return s.ctx.Err()
	}
	begin := b.of(first)
	ahead := stream.Start(s.ctx, r.streamed(s.last(), b, begin, all), b.count-begin, &stream.Options{DropBehind: r.bytes > s.plan.opts.MemoryLimit})
	for i := begin; i < b.count; i++ {
		err := ahead.Wait(i - begin)
		if err == nil {
			err = s.fillBox(r, b, i, all)
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
func (r *run) streamed(j *job, b boxes, begin int, all *view.Tensor) []stream.Operand {
	operands := r.ahead(j, b)
	for i, op := range operands {
		operands[i].Range = func(i int) (off, n int64) { return op.Range(begin + i) }
	}
	if b.count > maxAhead || !all.Storage().FileBacked() {
		return operands
	}
	size := int64(all.DType().Size())
	return append(operands, stream.Operand{Storage: all.Storage(), Write: true, Range: func(i int) (off, n int64) {
		lo, hi := b.first(begin+i), b.first(begin+i+1)
		return int64(lo) * size, int64(hi-lo) * size
	}})
}

// fillBox computes box i where it belongs.
func (s *Stream) fillBox(r *run, b boxes, i int, all *view.Tensor) error {
	part, err := s.last().part(b.at(i))
	if err != nil {
		return err
	}
	dst, err := all.Index(b.at(i))
	if err != nil {
		return err
	}
	r.part = i
	r.done.Store(0)
	return r.write(part, []*view.Tensor{dst})
}
