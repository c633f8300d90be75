package pass

import (
	"cmp"
	"context"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/stream"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Parts compute the result of a plan of one statement part by part, in memory for a part. What it
// needs as a whole is computed when the first part is, and kept with the plan. They belong to one
// goroutine at a time.
type Parts struct {
	ctx   context.Context
	plan  *Plan
	value *graph.Node
	ready bool // the passes before the last one have run
}

// NewParts returns the parts of the result of a plan whose program is in parts. Their work ends
// with ctx.
func NewParts(ctx context.Context, p *Plan) Parts {
	return Parts{ctx: ctx, plan: p, value: p.statement(0).Value}
}

// Part computes the elements that ix picks, and stores them in dst, which has the shape that this
// gives.
func (s *Parts) Part(ix view.Index, dst *view.Tensor) error {
	r := &run{plan: s.plan, ctx: s.ctx}
	defer r.close()
	if err := s.begin(r, s.value); err != nil {
		return err
	}
	part, err := s.last().part(ix)
	if err != nil {
		return err
	}
	if err := r.checkIndexes(part, false); err != nil {
		return err
	}
	return r.write(part, []*view.Tensor{dst})
}

// begin has the last pass store n, and runs those before it, once.
func (s *Parts) begin(r *run, n *graph.Node) error {
	if s.plan.closed {
		return ErrClosed
	}
	if st := s.plan.statement(0); st.Value != n {
		st.Value, s.ready = n, false
		if err := s.plan.prepare(); err != nil {
			return err
		}
	}

	// The passes before the last one run once.
	passes := s.plan.passes
	if !s.ready {
		for i, pr := range passes[:len(passes)-1] {
			if err := r.runPass(i, pr); err != nil {
				return err
			}
		}
		s.ready = true
	}
	r.begin(len(passes) - 1)
	return nil
}

// last returns the pass that stores the elements.
func (s *Parts) last() *passRun { return s.plan.passes[len(s.plan.passes)-1] }

// Blocks calls fn with all elements as packed bytes in C order, in pieces of at most maxBytes, but
// at least one element.
func (s *Parts) Blocks(maxBytes int, fn func(b []byte) error) error {
	r := &run{plan: s.plan, ctx: s.ctx}
	defer r.close()
	if err := s.begin(r, unshaped(s.value)); err != nil {
		return err
	}
	size := s.value.DType.Size()
	b := newBoxes(s.last().shape, s.plan.pieceBytes()/size)
	if b.count == 0 {
		return s.ctx.Err()
	}

	// Boxes are computed in room, and given to fn from there.
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

// eachBox computes each box in room, and calls fn with pieces of at most most bytes. A helper reads
// ahead what the next boxes need.
func (s *Parts) eachBox(r *run, b boxes, room *mmapstore.Storage, most int, fn func([]byte) error) error {
	r.parts, r.bytes = b.count, s.last().bytes()+int64(graph.NumElems(s.value.Shape))*int64(s.value.DType.Size())
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
func (s *Parts) box(r *run, b boxes, i int, room *mmapstore.Storage, most int, fn func([]byte) error) error {
	part, err := s.last().part(b.at(i))
	if err != nil {
		return err
	}
	t, err := view.NewTensor(room, s.value.DType, graph.Whole(part.shape))
	if err != nil {
		return err
	}
	r.part = i
	r.done.Store(0)
	if err := r.checkIndexes(part, false); err != nil {
		return cmp.Or(err, t.Close())
	}
	if err := r.write(part, []*view.Tensor{t}); err != nil {
		return cmp.Or(err, t.Close())
	}
	err = t.Blocks(most, fn)
	return cmp.Or(err, t.Close())
}

// part returns the pass for what ix picks of the elements that an element-wise one stores.
func (pr *passRun) part(ix view.Index) (*passRun, error) {
	l, err := graph.Whole(pr.shape).Index(ix)
	if err != nil {
		return nil, err
	}
	part := &passRun{pass: &pass{shape: l.Shape(), stores: pr.stores}, program: pr.program, leaves: slices.Clone(pr.leaves)}
	for i := range part.leaves {
		if part.leaves[i].layout, err = part.leaves[i].layout.Index(ix); err != nil {
			return nil, err
		}
	}
	return part, nil
}

// maxAhead is the number of boxes up to which a helper follows them: it keeps a count for each
// window of them. More are tens of terabytes, and are left to faults.
const maxAhead = 1 << 22

// ahead returns what a pass reads of files, box by box.
func (r *run) ahead(pr *passRun, b boxes) []stream.Operand {
	if b.count > maxAhead {
		return nil
	}

	// What is read by system calls needs nobody ahead.
	var operands []stream.Operand
	for _, a := range pr.leaves {
		r.spans(a, func(t *view.Tensor, span func(lo, hi int) (off, n int64)) {
			operands = append(operands, stream.Operand{Storage: t.Storage(), Range: func(i int) (off, n int64) {
				l, err := a.layout.Index(b.at(i))
				if err != nil {
					return 0, 0 // as computing the box will say
				}
				return span(l.Bounds())
			}})
		})
	}
	return operands
}
