package pass

import (
	"errors"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/stream"
	"github.com/tstore/tstore/view"
)

// relocate moves parts of an array to other places. The result is made box by box, from its first
// element to the last, and by all workers in each: so what lies in files is read ahead and written
// back as for an element-wise pass.
func (w *Work) relocate(k *graph.Relocating) error {
	x := w.Args[0]
	_, moves, err := k.Step.Moves(x.Layout())
	if err != nil || x.NumElems() == 0 {
		return err
	}
	shape := w.Node.Shape
	if moves[0].To.Rank() != len(shape) {
		shape = []int{graph.NumElems(shape)} // all elements, as one axis
	}

	// Each move fills a region of the result.
	size := w.Node.DType.Size()
	m := relocation{Work: w, boxes: newBoxes(shape, w.plan.pieceBytes()/size)}
	if m.program, err = copyProgram(x); err != nil {
		return err
	}
	for _, move := range moves {
		m.regions = append(m.regions, newRegion(move, shape))
	}

	// A run that tells how far it is goes on behind the elements that are done.
	first, stored := 0, func(int) error { return nil }
	if w.inSteps(w.of) {
		all := graph.NumElems(shape)
		first = w.marks.first(w.pass, all, 0)
		stored = w.telling(w.of, first, all, size)
	}
	w.parts, w.bytes = m.boxes.count*len(moves), x.NumBytes()+w.Dst.NumBytes()
	return w.inBoxes(m.boxes, first, m.operands(), m.fill, stored)
}

// A relocation is one run of a relocating.
type relocation struct {
	*Work
	boxes   boxes // of the result
	regions []region
	program *machine.Program
}

// copyProgram returns a program that copies elements as t has them.
func copyProgram(t *view.Tensor) (*machine.Program, error) {
	l := newLowering(t.Shape(), func(*graph.Node) bool { return false })
	defer l.recycle()
	err := l.output(&graph.Node{Kind: graph.NodeTensor, DType: t.DType(), Tensor: t}, t.DType())
	return l.builder.Program(), err
}

// maxFollowed is the largest number of moves whose sources a helper reads ahead.
const maxFollowed = 16

// operands returns what the boxes touch of files.
func (m *relocation) operands() []stream.Operand {
	operands := written(m.boxes, []*view.Tensor{m.Dst})
	x := m.Args[0]
	if m.boxes.count > maxAhead || len(m.regions) > maxFollowed || !x.Storage().FileBacked() || m.reads(x) {
		return operands
	}

	// What a box reads is the part of each move that ends in it.
	size := int64(x.DType().Size())
	for i := range m.regions {
		operands = append(operands, stream.Operand{Storage: x.Storage(), Range: func(box int) (off, n int64) {
			part, ok, err := m.regions[i].within(m.boxes.bounds(box))
			if !ok || err != nil {
				return 0, 0 // filling the box returns the error
			}
			lo, hi := part.From.Bounds()
			return int64(lo) * size, int64(hi-lo) * size
		}})
	}
	return operands
}

// fill makes one box of the result.
func (m *relocation) fill(box int) error {
	lo, hi := m.boxes.bounds(box)
	for i := range m.regions {
		m.part = box*len(m.regions) + i
		m.done.Store(0)
		part, ok, err := m.regions[i].within(lo, hi)
		if ok && err == nil {
			err = m.move(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// move moves elements to their places in the result.
func (m *relocation) move(part view.Move) error {
	to, err := view.MakeLayout(part.To.Shape(), part.To.Strides(), m.Dst.Offset()+part.To.Offset())
	if err != nil {
		return err
	}
	dst, err := view.NewTensor(m.Dst.Storage(), m.Dst.DType(), to)
	if err != nil {
		return err
	}
	src := leaf{tensor: m.Args[0], dtype: m.Args[0].DType(), layout: part.From}
	err = m.write(&passRun{pass: &pass{shape: to.Shape()}, program: m.program, leaves: []leaf{src}}, []*view.Tensor{dst})
	return errors.Join(err, dst.Close())
}

// A region is a move, with the index in the result of the first element that it makes.
type region struct {
	view.Move
	first []int
}

// newRegion finds out where in a result of some shape a move makes elements.
func newRegion(m view.Move, shape []int) region {
	r := region{m, make([]int, len(shape))}
	left, strides := m.To.Offset(), graph.Whole(shape).Strides()
	for axis, stride := range strides {
		r.first[axis] = left / stride
		left %= stride
	}
	return r
}

// within returns the part of a move that makes elements from the index lo up to hi along each axis;
// ok is false if there are none.
func (r *region) within(lo, hi []int) (part view.Move, ok bool, err error) {
	ix := make(view.Index, len(lo))
	for axis, first := range r.first {
		n := r.To.Dim(axis)
		start, end := max(lo[axis]-first, 0), min(hi[axis]-first, n)
		if start >= end {
			return view.Move{}, false, nil
		}
		ix[axis] = view.Span(start, end)
	}
	if part.To, err = r.To.Index(ix); err != nil {
		return view.Move{}, false, err
	}
	part.From, err = r.From.Index(ix)
	return part, true, err
}
