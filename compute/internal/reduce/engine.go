package reduce

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
)

// A Spec says what an Engine computes.
type Spec struct {
	Shape      []int            // of the elements
	Axes       []int            // those reduced, not negative, each once
	Program    *machine.Program // whose outputs are the elements, and masks
	Inputs     []exec.Operand   // of the program
	Layouts    []plan.Operand   // of the inputs, on the axes of Shape
	Reductions []Reduction
}

// An Engine computes reductions over the same elements and axes in one pass. It is an exec.Job:
// results are there when all its chunks are done. What it computes does not depend on how many
// workers there are.
type Engine struct {
	spec     Spec
	axes     *axes
	reducers []*reducer
	tree     tree
	free     pool
	block    int  // elements
	tall     bool // whether blocks should have many rows
	direct   bool // whether blocks are those of elements that are used where they lie
	found    bool // whether elements are used where they lie
	turned   bool // whether blocks are gone through along the runs of the input, which are those of a kept axis
	// turnedLanes says that results then have lanes.
	turnedLanes bool
	apart       []bool // inputs of which workers pack the elements of each chunk
	sparse      int    // one of so many elements counts in blocks that are used where they lie, else 1
}

// New returns the Engine of a Spec. It is an error if a reduction means nothing on its elements, or
// has no result because there are none.
func New(spec Spec) (*Engine, error) {
	e := &Engine{spec: spec, axes: axesOf(&spec), apart: make([]bool, len(spec.Inputs)), sparse: 1}
	ordered := e.axes.ordered()

	for i := range spec.Reductions {
		z, err := newReducer(&spec.Reductions[i], ordered)
		if err != nil {
			return nil, err
		}
		e.reducers = append(e.reducers, z)
		switch z.Op {
		case Var, Std, ArgMin, ArgMax, LogSumExp:
			e.tall = true
		}
	}

	if !e.hasWork() {
		return e, e.finishEmpty()
	}

	if e.axes.dims != nil {
		e.place()
	} else {
		e.sparse = e.step()
		e.direct = e.inPlace()
		if e.found = e.direct; !e.found {
			e.sparse = 1 // elements are gathered, without those between them
		}
	}

	e.block = spec.Program.SmallBlockElems()
	if e.direct || e.axes.row < 0 && (e.axes.dims != nil || e.packed()) {
		e.block = spec.Program.BlockElems()
	}

	e.free.allocate = func() []*state { return e.allocate(e.axes.maxBoxOutputs()) }
	return e, nil
}

// axesOf plans the walk: in the order of memory where that makes no difference to any result.
func axesOf(spec *Spec) *axes {
	if slices.ContainsFunc(spec.Reductions, func(r Reduction) bool { return !inAnyOrder(r.Op, r.Type) }) {
		if a := newOrderedAxes(spec.Shape, spec.Axes, spec.Layouts); a != nil {
			return a
		}
	}
	return newAxes(spec.Shape, spec.Axes, spec.Layouts)
}

// place decides which inputs are packed first. How results are computed does not depend on it.
func (e *Engine) place() {
	a := e.axes
	e.direct = e.spec.Program.IsCopy()
	e.found = e.direct && a.isRun(0) && e.inPlace() && e.rowsJoined()
	if e.turned = !e.found && e.turn(); e.turned {
		a.follow(nil)
		return
	}

	if !e.found {
		for k, in := range e.spec.Inputs {
			e.apart[k] = !a.isRun(k) || a.across(k) && in.Fill == nil || e.direct && a.row >= 0
		}
	}

	wide := slices.Index(e.apart, true)
	if wide >= 0 && a.shortest(wide) >= 0 {
		a.widen(wide)
	}

	var strides []int
	if len(e.spec.Inputs) > 0 {
		strides = make([]int, len(a.tile))
		for _, d := range a.dims {
			if d.outer {
				strides[d.axis] = d.strides[max(wide, 0)]
			}
		}
	}
	a.follow(strides)

	for k, apart := range e.apart {
		if apart {
			a.pack(k)
			e.found = e.direct
		}
	}
}

// rowsJoined reports whether rows of few columns lie one after another, if several of them are made
// one.
func (e *Engine) rowsJoined() bool {
	a := e.axes
	return a.row < 0 || !a.kept[a.col] || a.nest.Sizes[a.col] >= narrow || a.nest.Strides[0][a.row] == a.nest.Sizes[a.col]*a.nest.ElemSizes[0]
}

// hasWork reports whether there are elements to reduce.
func (e *Engine) hasWork() bool { return product(e.spec.Shape) > 0 && len(e.reducers) > 0 }

func product(sizes []int) int {
	n := 1
	for _, size := range sizes {
		n *= size
	}
	return n
}

// reduced returns the number of elements that go to one result.
func (e *Engine) reduced() int {
	n := 1
	for _, axis := range e.spec.Axes {
		n *= e.spec.Shape[axis]
	}
	return n
}

// allocate returns the states of n results of each reduction.
func (e *Engine) allocate(n int) []*state {
	states := make([]*state, len(e.reducers))
	for i, z := range e.reducers {
		states[i] = z.newState(n)
	}
	return states
}

// finishEmpty writes the results of no elements.
func (e *Engine) finishEmpty() error {
	outputs := 1
	for axis, size := range e.spec.Shape {
		if !slices.Contains(e.spec.Axes, axis) {
			outputs *= size
		}
	}
	for _, z := range e.reducers {
		if outputs > 0 && z.Op.NeedsElement() {
			return fmt.Errorf("%v of no elements has no result: an axis of size 0 is reduced", z.Op)
		}
		s := z.newState(outputs)
		z.reset(s, outputs)
		copy(z.Out, z.finish(s, outputs, 0))
	}
	return nil
}

// NumChunks implements exec.Job.
func (e *Engine) NumChunks() int {
	if !e.hasWork() {
		return 0
	}
	return e.axes.numChunks()
}

// NewWorker implements exec.Job. A worker allocates the registers of the program, some buffers of a
// block each, one for each input that is read rather than mapped, with its bytes of a chunk,
// another one, of up to 16 MiB, for each that is packed, and the states of a chunk: 72 bytes or
// less for each result of a chunk and reduction. A chunk has 65,536 results at most. States of
// finished parts wait for their neighbours: about log₂ of the number of parts that share results,
// or, where an input lies across the others, as many as there are of its runs.
func (e *Engine) NewWorker() exec.Worker {
	w := e.newWorker(e.spec.Program)
	w.fuse()
	return w
}

// newWorker returns a worker with its own place for the values of a program.
func (e *Engine) newWorker(p *machine.Program) *worker {
	a := e.axes
	inputs := make([]machine.Input, len(e.spec.Inputs))

	for k, in := range e.spec.Inputs {
		inputs[k] = machine.Input{Base: in.Base, Inner: a.nest.Strides[k][a.col]}
		if !e.apart[k] {
			inputs[k].Fill = in.Fill
		}
		if a.row >= 0 {
			inputs[k].Outer = a.nest.Strides[k][a.row]
		}
	}

	n := len(inputs)
	w := &worker{
		engine: e, machine: p.NewWorker(inputs, nil), inputs: inputs, sparse: e.sparse,
		at: make([]int, n), indexes: make([]int, len(a.kept)), shift: make([]int, n), buffers: make([][]byte, n), packed: make([]scratch, n), wide: make([]wide, len(e.reducers)),
	}

	w.elements = e.evaluated(w)
	if e.found {
		w.elements = e.lying(w)
	}

	return w
}

// inPlace reports whether the elements are used where an input has them: packed along the columns
// of blocks, except for the steps that step allows.
func (e *Engine) inPlace() bool {
	if !e.spec.Program.IsCopy() || e.spec.Inputs[0].Fill != nil {
		return false
	}
	a, size := e.axes, e.axes.nest.ElemSizes[0]
	if a.row >= 0 && !a.kept[a.col] && !a.kept[a.row] {
		return false // rows are made one, and must lie one after another
	}
	return a.nest.Strides[0][a.col] == size*e.sparse && e.aligned()
}

// aligned reports whether the elements of the first input lie at multiples of their size, or of
// that of their components.
func (e *Engine) aligned() bool {
	a, align := e.axes, e.reducers[0].Type.Part().Size()
	if uintptr(e.spec.Inputs[0].Base)%uintptr(align) != 0 {
		return false
	}
	for axis, s := range a.nest.Strides[0] {
		if s%align != 0 && a.nest.Sizes[axis] > 1 {
			return false
		}
	}
	return a.nest.Start[0]%align == 0
}

// maxStep is the longest step of elements between which the others are read as well: some lanes of
// each result hold what nobody asks for.
const maxStep = 8

// step returns the number of elements from one to the next along long rows, if all of those between
// may be gone through too, else 1.
func (e *Engine) step() int {
	a := e.axes
	if a.row >= 0 || a.kept[a.col] || !e.spec.Program.IsCopy() {
		return 1
	}
	stride, size := a.nest.Strides[0][a.col], a.nest.ElemSizes[0]
	s := stride / size
	if stride%size != 0 || s < 2 || s > maxStep || s&(s-1) != 0 {
		return 1
	}
	for _, z := range e.reducers {
		if z.lanes%s != 0 || len(z.steps) > 0 || z.Op == ArgMin || z.Op == ArgMax {
			return 1
		}
	}
	return s
}

// packed reports whether all inputs are packed along the columns of blocks of one row, and need not
// be gathered.
func (e *Engine) packed() bool {
	a := e.axes
	for k, in := range e.spec.Inputs {
		if s := a.nest.Strides[k][a.col]; in.Fill != nil && !e.apart[k] || s != 0 && s != a.nest.ElemSizes[k] || a.row >= 0 {
			return false
		}
	}
	return true
}

// finish writes the results of a group.
func (e *Engine) finish(b *box, states []*state) error {
	for i, z := range e.reducers {
		if err := z.check(states[i], b.outputs); err != nil {
			return err
		}
		e.write(z, b, z.finish(states[i], b.outputs, int64(e.reduced())))
	}
	return nil
}

// write puts the results of a box into their places.
func (e *Engine) write(z *reducer, b *box, results []byte) {
	a, size := e.axes, ResultType(z.Op, z.Type).Size()
	strides := a.nest.Strides[a.out]

	var walk func(axis, from, to int)
	walk = func(axis, from, to int) {
		for axis < len(a.kept) && (!a.kept[axis] || axis == a.unit) {
			axis++
		}

		if axis < len(a.kept) {
			for i := range b.size[axis] {
				walk(axis+1, from+i*b.stride[axis], to+(b.low[axis]+i)*strides[axis])
			}
			return
		}

		n, step := 1, 1
		if a.unit >= 0 {
			n, step = b.size[a.unit], strides[a.unit]
			to += b.low[a.unit] * step
		}
		kernel.Scatter(unsafe.Pointer(&z.Out[to*size]), unsafe.Pointer(&results[from*size]), size, step*size, n)
	}

	walk(0, 0, a.nest.Start[a.out])
}

// merge merges the states b into a and frees them.
func (e *Engine) merge(n int) func(a, b []*state) {
	return func(a, b []*state) {
		for i, z := range e.reducers {
			z.merge(a[i], 0, b[i], 0, n)
		}
		e.free.put(b)
	}
}
