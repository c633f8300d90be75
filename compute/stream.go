package compute

import (
	"cmp"
	"context"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/stream"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A Stream computes the elements of an expression where they are asked for, piece by piece, in memory for a piece. What
// the expression needs as a whole, such as sums over axes, is computed when the first piece is, and kept until Close. It
// belongs to one goroutine at a time.
type Stream struct {
	ctx   context.Context
	plan  *Plan
	value *node
	shape []int
	ready bool // the passes before the last one have run
}

// NewStream binds an expression as [NewPlan] does. The work that Blocks and Part do ends with ctx. The stream must be
// closed; the tensors that env finds must stay open until then.
func NewStream(ctx context.Context, e Expr, env Env, o *Options) (*Stream, error) {
	p, err := newPlan(ctx, []Statement{{Expr: e}}, env, o, true)
	if err != nil {
		return nil, err
	}
	return &Stream{ctx: ctx, plan: p, value: p.bound.stmts[0].value, shape: p.outputs[0].Shape}, nil
}

// DType returns the type of the elements.
func (s *Stream) DType() dtype.Type { return s.plan.outputs[0].DType }

// Shape returns the number of elements along each axis.
func (s *Stream) Shape() []int { return slices.Clone(s.shape) }

// Dims returns the names of the axes, as in [Output].
func (s *Stream) Dims() []string { return s.plan.outputs[0].Dims }

// NumElems returns the number of elements.
func (s *Stream) NumElems() int { return numElems(s.shape) }

// Close gives back what has been kept. Closing again does nothing.
func (s *Stream) Close() error { return s.plan.Close() }

// Part computes the elements that ix picks, and stores them in dst, which has the shape that this gives, the type of
// the elements, and shares none with the tensors that are read. After an error dst holds anything.
func (s *Stream) Part(ix view.Index, dst *view.Tensor) error {
	r := &run{plan: s.plan, ctx: s.ctx}
	defer r.close()
	if err := s.begin(r, s.value); err != nil {
		return err
	}
	part, err := s.last().part(ix)
	if err != nil {
		return err
	}
	return r.write(part, []*view.Tensor{dst})
}

// begin has the last pass store n, and runs those before it, once.
func (s *Stream) begin(r *run, n *node) error {
	if s.plan.bound == nil {
		return errClosedPlan
	}
	if st := &s.plan.bound.stmts[0]; st.value != n {
		st.value, s.plan.outputs[0].Shape, s.ready = n, n.shape, false
		if err := s.plan.prepare(); err != nil {
			return err
		}
	}
	passes := s.plan.passes
	if !s.ready {
		for i, j := range passes[:len(passes)-1] {
			if err := r.whole(i, j); err != nil {
				return err
			}
		}
		s.ready = true
	}
	r.begin(len(passes) - 1)
	return nil
}

// last returns the pass that stores the elements.
func (s *Stream) last() *job { return s.plan.passes[len(s.plan.passes)-1] }

// Blocks calls fn with all elements, as [Elements] says. Options.Progress is told how far it is.
func (s *Stream) Blocks(maxBytes int, fn func(b []byte) error) error {
	r := &run{plan: s.plan, ctx: s.ctx}
	defer r.close()
	if err := s.begin(r, s.value.unshaped()); err != nil {
		return err
	}
	size := s.DType().Size()
	b := newBoxes(s.last().shape, s.plan.pieceBytes()/size)
	if b.count == 0 {
		return s.ctx.Err()
	}
	room, err := mmapstore.New(int64(b.elems * size))
	if err != nil {
		return err
	}
	most := b.elems * size
	if maxBytes > 0 {
		most = max(maxBytes/size, 1) * size
	}
	err = s.eachBox(r, b, room, most, fn)
	return cmp.Or(err, room.Release())
}

// maxPieceBytes bounds what a stream computes at a time: it is enough for all workers.
const maxPieceBytes = 8 << 20

// pieceBytes returns the size of the pieces that are computed at a time.
func (p *Plan) pieceBytes() int {
	return int(min(maxPieceBytes, max(exec.MinChunkBytes, p.opts.MemoryLimit/16)))
}

// eachBox computes one box after the other in room, and calls fn with pieces of at most so many bytes, while a helper
// reads ahead what the next boxes need.
func (s *Stream) eachBox(r *run, b boxes, room *mmapstore.Storage, most int, fn func([]byte) error) error {
	r.parts, r.bytes = b.count, s.last().bytes()+int64(s.NumElems())*int64(s.DType().Size())
	ahead := stream.Start(s.ctx, r.ahead(s.last(), b), b.count, &stream.Options{DropBehind: r.bytes > s.plan.opts.MemoryLimit})
	for i := range b.count {
		err := ahead.Wait(i)
		if err == nil {
			err = s.box(r, b, i, room, most, fn)
		}
		if err != nil {
			return cmp.Or(err, ahead.Close())
		}
		ahead.Done(i)
	}
	return ahead.Close()
}

// box computes box i.
func (s *Stream) box(r *run, b boxes, i int, room *mmapstore.Storage, most int, fn func([]byte) error) error {
	part, err := s.last().part(b.at(i))
	if err != nil {
		return err
	}
	t, err := view.NewTensor(room, s.DType(), whole(part.shape))
	if err != nil {
		return err
	}
	r.part = i
	r.done.Store(0)
	if err := r.write(part, []*view.Tensor{t}); err != nil {
		return cmp.Or(err, t.Close())
	}
	err = t.Blocks(most, fn)
	return cmp.Or(err, t.Close())
}

// part returns the job for what ix picks of the elements that an element-wise job stores.
func (j *job) part(ix view.Index) (*job, error) {
	l, err := whole(j.shape).Index(ix)
	if err != nil {
		return nil, err
	}
	part := &job{pass: &pass{shape: l.Shape(), stores: j.stores}, program: j.program, leaves: slices.Clone(j.leaves)}
	for i := range part.leaves {
		if part.leaves[i].layout, err = part.leaves[i].layout.Index(ix); err != nil {
			return nil, err
		}
	}
	return part, nil
}

// maxAhead is the number of boxes up to which a helper follows them: it keeps a count for each window of them. More are
// tens of terabytes, and are left to faults.
const maxAhead = 1 << 22

// ahead returns what a job reads of files, box by box.
func (r *run) ahead(j *job, b boxes) []stream.Operand {
	if b.count > maxAhead {
		return nil
	}
	var operands []stream.Operand
	for _, a := range j.leaves {
		t := r.tensorOf(a)
		if t == nil || !t.Storage().FileBacked() || r.reads(t) {
			continue
		}
		size := int64(a.dtype.Size())
		operands = append(operands, stream.Operand{Storage: t.Storage(), Range: func(i int) (off, n int64) {
			l, err := a.layout.Index(b.at(i))
			if err != nil {
				return 0, 0 // as computing the box will say
			}
			lo, hi := l.Bounds()
			return int64(lo) * size, int64(hi-lo) * size
		}})
	}
	return operands
}
