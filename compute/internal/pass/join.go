package pass

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/view"
)

// A join is an input whose elements are those of several parts, each of which a program computes
// when it is asked for them.
type join struct {
	*graph.Joint
	parts []*passRun
}

// join adds an input that is read from its parts.
func (l *lowering) join(n *graph.Node) (machine.Value, error) {
	j := &join{Joint: n.Joint}
	for _, arg := range n.Args {
		part := newLowering(arg.Shape, l.kept)
		defer part.recycle()
		if err := part.output(arg, n.DType); err != nil {
			return 0, err
		}
		j.parts = append(j.parts, &passRun{pass: &pass{shape: arg.Shape}, program: part.builder.Program(), leaves: part.leaves})
	}
	return l.leaf(leaf{join: j, dtype: n.DType, layout: n.Layout})
}

// A partMaker makes elements of one part of a join, in C order.
type partMaker struct {
	nest     plan.Nest
	operands []exec.Operand
	program  *machine.Program
	workers  sync.Pool // of *partWorker
}

// A partWorker makes elements for one goroutine at a time.
type partWorker struct {
	machine *machine.Worker
	at      []int
}

// addMade adds an input that is read from its parts, or picked, whose operands are pinned, too.
func (r *run) addMade(m *Memory, a leaf) error {
	size := a.dtype.Size()
	fill, err := r.filler(m, a)
	if err != nil {
		return err
	}
	r.spans(a, func(t *view.Tensor, span func(lo, hi int) (off, n int64)) {
		m.files = append(m.files, file{operand: len(m.Operands), storage: t.Storage(), span: func(lo, hi int) (off, n int64) {
			return span(a.layout.Offset()+lo/size, a.layout.Offset()+hi/size)
		}})
	})
	m.add(a.layout, size)
	m.Operands = append(m.Operands, exec.Operand{Fill: func(dst unsafe.Pointer, first, n int) { fill(dst, a.layout.Offset()+first, n) }})
	return nil
}

// filler returns a function that makes n elements of a join or a pick from number first on, in C
// order.
func (r *run) filler(m *Memory, a leaf) (func(dst unsafe.Pointer, first, n int), error) {
	if a.pick != nil {
		p, err := r.picker(m, a)
		if err != nil {
			return nil, err
		}
		return p.make, nil
	}
	makers := make([]*partMaker, len(a.join.parts))
	for i, part := range a.join.parts {
		var err error
		if makers[i], err = r.partMaker(m, part, a.dtype.Size()); err != nil {
			return nil, err
		}
	}

	size, j := a.dtype.Size(), a.join
	if j.Run <= shortRun {
		return func(dst unsafe.Pointer, first, n int) {
			room := make([]byte, min(dealt, n)*size)
			for made := 0; made < n; made += dealt {
				j.deal(makers, room, unsafe.Add(dst, made*size), first+made, min(dealt, n-made), size)
			}
		}, nil
	}
	return func(dst unsafe.Pointer, first, n int) {
		for made := 0; made < n; {
			at := (first + made) % j.Run
			i := sort.SearchInts(j.First, at+1) - 1
			some := min(n-made, j.First[i+1]-at)
			makers[i].make(unsafe.Add(dst, made*size), j.Before(i, first+made), some, size)
			made += some
		}
	}, nil
}

// Runs of up to shortRun elements, in which parts take turns, are made dealt elements at a time.
const (
	shortRun = 64
	dealt    = 1 << 10
)

// deal makes n elements from number first on: those of a part side by side in room, which has space
// for n, and then each where it belongs.
func (j *join) deal(makers []*partMaker, room []byte, dst unsafe.Pointer, first, n, size int) {
	to := unsafe.Slice((*byte)(dst), n*size)
	for i, maker := range makers {
		lo, hi := j.Before(i, first), j.Before(i, first+n)
		if lo == hi {
			continue
		}
		maker.make(unsafe.Pointer(unsafe.SliceData(room)), lo, hi-lo, size)
		turn := j.First[i+1] - j.First[i]
		for k := lo; k < hi; k++ {
			at := k/turn*j.Run + j.First[i] + k%turn - first
			copy(to[at*size:][:size], room[(k-lo)*size:])
		}
	}
}

// partMaker binds the operands of one part.
func (r *run) partMaker(m *Memory, part *passRun, size int) (*partMaker, error) {
	p := &partMaker{program: r.plan.opts.Code.program(part.program, graph.NumElems(part.shape))}
	var planned []plan.Operand
	for _, a := range part.leaves {
		o, err := r.partOperand(m, a)
		if err != nil {
			return nil, err
		}
		p.operands = append(p.operands, o)
		planned = append(planned, laidOut(a.layout, a.dtype.Size()))
	}

	// Elements lie side by side where they are made, which decides the order of the walk.
	planned = append(planned, laidOut(graph.Whole(part.shape), size))
	p.nest = plan.New(part.shape, planned, len(planned)-1)
	p.workers.New = func() any { return p.newWorker() }
	return p, nil
}

// partOperand returns an input of a part.
func (r *run) partOperand(m *Memory, a leaf) (exec.Operand, error) {
	switch {
	case a.gen != nil:
		return exec.Operand{Fill: fill(a.gen, a.layout.Offset(), a.dtype.Size())}, nil
	case a.join != nil || a.pick != nil:
		fill, err := r.filler(m, a)
		return exec.Operand{Fill: func(dst unsafe.Pointer, first, n int) { fill(dst, a.layout.Offset()+first, n) }}, err
	}
	return m.pinned(r.tensorOf(a), a.layout)
}

// laidOut describes a layout to a nest.
func laidOut(l view.Layout, size int) plan.Operand {
	strides := l.Strides()
	for axis := range strides {
		strides[axis] *= size
	}
	return plan.Operand{Strides: strides, ElemSize: size}
}

func (p *partMaker) newWorker() *partWorker {
	inputs := make([]machine.Input, len(p.operands))
	for k, o := range p.operands {
		inputs[k] = p.input(k, o)
	}
	return &partWorker{machine: p.program.NewWorker(inputs, nil), at: make([]int, len(inputs))}
}

func (p *partMaker) input(k int, o exec.Operand) machine.Input {
	return machine.Input{Base: o.Base, Inner: p.nest.Inner(k), Outer: p.nest.Outer(k), Fill: o.Fill}
}

// make makes n elements from number first on. No pointer moves behind the last one, where it would
// keep another object of the heap alive.
func (p *partMaker) make(dst unsafe.Pointer, first, n, size int) {
	made := 0
	if p.program.IsCopy() {
		in := p.input(0, p.operands[0])
		p.blocks(first, n, n, func(at []int, rows, cols int) {
			in.Gather(unsafe.Add(dst, made*size), size, at[0], rows, cols)
			made += rows * cols
		})
		return
	}

	// What is computed is left in a register, and copied from there.
	w := p.workers.Get().(*partWorker)
	p.blocks(first, n, p.program.SmallBlockElems(), func(at []int, rows, cols int) {
		w.machine.Eval(at, rows, cols)
		stride := size
		from, scalar := w.machine.Out(0)
		if scalar {
			stride = 0
		}
		kernel.Gather(unsafe.Add(dst, made*size), from, size, stride, rows*cols)
		made += rows * cols
	})
	p.workers.Put(w)
}

// blocks calls fn with blocks of at most most elements, which together are n elements from number
// first on: whole rows where they are short, else parts of rows.
func (p *partMaker) blocks(first, n, most int, fn func(at []int, rows, cols int)) {
	sizes := p.nest.Sizes
	last := len(sizes) - 1
	at := make([]int, len(p.operands))
	for n > 0 {
		// Find where the operands are at the first element.
		copy(at, p.nest.Start)
		col, row, left := first%sizes[last], 0, first
		for axis := last; axis >= 0; axis-- {
			i := left % sizes[axis]
			left /= sizes[axis]
			if axis == last-1 {
				row = i
			}
			for k := range at {
				at[k] += i * p.nest.Strides[k][axis]
			}
		}

		rows, cols := 1, min(sizes[last]-col, n, most)
		if col == 0 && last > 0 && 2*sizes[last] <= min(n, most) {
			cols = sizes[last]
			rows = min(min(n, most)/cols, sizes[last-1]-row)
		}
		fn(at, rows, cols)
		first, n = first+rows*cols, n-rows*cols
	}
}

// spans calls fn for each tensor in a file of which a leaf reads, with what turns elements [lo, hi)
// of the leaf, counted in its storage or in C order of a join, into bytes of the tensor's storage.
func (r *run) spans(a leaf, fn func(t *view.Tensor, span func(lo, hi int) (off, n int64))) {
	if a.pick != nil {
		return // what is picked lies anywhere
	}
	if a.join == nil {
		if t := r.tensorOf(a); t != nil && t.Storage().FileBacked() && !r.reads(t) {
			size := int64(a.dtype.Size())
			fn(t, func(lo, hi int) (off, n int64) { return int64(lo) * size, int64(hi-lo) * size })
		}
		return
	}
	for i, part := range a.join.parts {
		for _, b := range part.leaves {
			r.spans(b, func(t *view.Tensor, span func(lo, hi int) (off, n int64)) {
				fn(t, func(lo, hi int) (off, n int64) {
					lo, hi, ok := stretch(b.layout, a.join.Before(i, lo), a.join.Before(i, hi))
					if !ok {
						return 0, 0
					}
					return span(lo, hi)
				})
			})
		}
	}
}

// stretch returns the positions that a layout has for its elements from number lo up to hi in C
// order, and those around them in their rows along the first axis. ok is false where they lie far
// apart, as in a transpose, so that nothing can be told of what is needed when.
func stretch(l view.Layout, lo, hi int) (from, to int, ok bool) {
	if lo >= hi || l.Rank() == 0 {
		return 0, 0, false
	}
	if l.IsContiguous() {
		return l.Offset() + lo, l.Offset() + hi, true
	}
	row := l.NumElems() / l.Dim(0)
	first, end := lo/row, (hi-1)/row+1
	part, err := l.Narrow(0, first, end-first)
	if err != nil {
		return 0, 0, false
	}
	from, to = part.Bounds()
	return from, to, to-from <= 4*part.NumElems()
}

// each calls fn for a leaf, or for the leaves of its parts.
func (a leaf) each(fn func(leaf)) {
	var parts []*passRun
	switch {
	case a.join != nil:
		parts = a.join.parts
	case a.pick != nil:
		a.pick.source.each(fn)
		parts = a.pick.indexes
	default:
		fn(a)
	}
	for _, part := range parts {
		for _, b := range part.leaves {
			b.each(fn)
		}
	}
}

// maxTitled is the number of parts up to which a title names them.
const maxTitled = 4

// title names what is joined.
func (j *join) title(quote func(string) string) string {
	if len(j.parts) > maxTitled {
		return fmt.Sprintf("%d parts", len(j.parts))
	}
	var names []string
	for _, part := range j.parts {
		names = append(names, part.title(quote))
	}
	return strings.Join(names, " and ")
}

// title names what a part of a join is made of.
func (pr *passRun) title(quote func(string) string) string {
	if pr.program.IsCopy() {
		return pr.leaves[0].title(quote)
	}
	return "computed"
}
