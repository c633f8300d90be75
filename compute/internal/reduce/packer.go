package reduce

import (
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/machine"
)

// A packer is a worker that packs the elements of its chunks for a Folder. It gathers those of
// several chunks, and then settles: it has them folded, and goes on with the accumulators as other
// workers do.
type packer struct {
	*worker
	folder  Folder
	folding *Folding
	room    FoldRoom

	work    FoldWork
	boxes   []packed
	boxOf   map[resultRun]int // the box of results that have no lanes
	open    int               // the last box, if more may come to its lanes, else -1
	left    *packed           // lanes that were settled while more may come to them; the worker has them
	parts   [][]*state        // of the chunk, if their runs are columns side by side
	pending []pendingPart
	ready   box // a part that is pending
	cells   []cell
	err     error
}

// A packed box is the accumulators of count results, or of lanes for each of them.
type packed struct {
	states []*state
	first  int
	count  int
	lanes  int // rows that are lanes of their own, of reductions with as many; 0: those of each reduction; -1: none
}

// A resultRun tells results apart.
type resultRun struct {
	states **state
	first  int
}

// A pendingPart is packed, and its results are not done.
type pendingPart struct {
	chunk, part int
	states      []*state
}

// Run implements exec.Worker.
func (p *packer) Run(chunk int) error {
	w := p.worker
	w.engine.axes.locate(chunk, &w.box)
	if err := w.read(); err != nil {
		return err
	}
	w.pack()
	if w.engine.turned && !w.engine.axes.kept[w.engine.axes.row] {
		return p.runs(chunk)
	}
	for part := range w.box.parts {
		if err := p.part(chunk, part); err != nil {
			return err
		}
	}
	return nil
}

// part packs one part of the chunk.
func (p *packer) part(chunk, part int) error {
	w := p.worker
	w.engine.axes.locatePart(part, &w.box)
	w.states = p.fresh()
	w.walk(0, 0, w.start())
	p.close()
	p.pending = append(p.pending, pendingPart{chunk, part, w.states})
	return p.settleMany()
}

// runs packs all parts of the chunk, whose runs are columns side by side.
func (p *packer) runs(chunk int) error {
	w := p.worker
	var runs [][]*state
	for range w.box.parts {
		runs = append(runs, p.fresh())
	}
	p.parts = runs
	w.walk(0, 0, w.start())
	for part, states := range runs {
		p.pending = append(p.pending, pendingPart{chunk, part, states})
	}
	return p.settleMany()
}

// fresh returns states of no elements for the results of the box.
func (p *packer) fresh() []*state {
	states := p.engine.free.get()
	for i, z := range p.engine.reducers {
		z.reset(states[i], p.box.outputs)
	}
	return states
}

// settleMany settles if the states that wait for that have become many.
func (p *packer) settleMany() error {
	if p.err == nil && len(p.pending)*p.box.outputs >= maxOutputs {
		p.settle()
	}
	return p.err
}

// Finish implements exec.Finisher.
func (p *packer) Finish() error {
	p.settle()
	return p.err
}

// Release implements exec.Releaser.
func (p *packer) Release() { p.folder.Release() }

// settle has all boxes folded, takes their accumulators over, and does what the results of parts
// wait for.
func (p *packer) settle() {
	if p.err != nil {
		return
	}
	if len(p.boxes) > 0 {
		p.err = p.folder.Fold(&p.work)
	}
	if p.err != nil {
		return
	}
	states := p.states
	for b := range p.boxes {
		p.take(b)
	}
	p.states = states
	p.boxes, p.open = p.boxes[:0], -1
	p.work = FoldWork{Boxes: p.work.Boxes[:0]}
	clear(p.boxOf)

	for _, done := range p.pending {
		p.engine.axes.locate(done.chunk, &p.ready)
		p.engine.axes.locatePart(done.part, &p.ready)
		if p.err = p.done(&p.ready, done.states); p.err != nil {
			return
		}
	}
	p.pending = p.pending[:0]
}

// take takes over the accumulators of a box. Lanes to which nothing more comes are merged.
func (p *packer) take(b int) {
	box := &p.boxes[b]
	if box.lanes >= 0 {
		p.reopen(box)
	}
	p.eachCell(b, func(fold int, c cell, at int) {
		sums, lost := p.folder.After(fold)
		copy(c.sums, sums[at*p.folding.Folds[fold].Sum:])
		copy(c.lost, lost[at*p.folding.Folds[fold].Lost:])
	})
	switch {
	case p.open == b:
		left := *box
		p.left = &left
	case box.lanes >= 0:
		p.states = box.states
		p.flush()
	}
}

// reopen makes the lanes of all reductions ready for a box.
func (p *packer) reopen(box *packed) {
	for i, z := range p.engine.reducers {
		lanes := box.lanes
		if lanes == 0 {
			lanes = z.lanes
		}
		p.worker.open(&p.wide[i], z, box.first, box.count, lanes)
	}
}

// close ends the lanes to which more could come.
func (p *packer) close() {
	p.open = -1
	if p.left != nil {
		states := p.states
		p.states = p.left.states
		p.flush()
		p.states, p.left = states, nil
	}
}

// reserve returns how many of n elements there is room for in one more segment of one more box: a
// multiple of unit, or all. It settles first if there is no room for a unit, or for the lanes of the
// box.
func (p *packer) reserve(n, unit, lanes int) int {
	unit = min(n, unit)
	free := p.room.Elems - p.work.Elems
	if free < unit || p.work.Segments == p.room.Segments || len(p.boxes) == p.room.Boxes || p.work.Lanes+lanes > p.room.Lanes {
		p.settle()
		free = p.room.Elems
	}
	if n <= free {
		return n
	}
	return free / unit * unit
}

// add gathers the elements of a block whose columns and rows are two axes, and gives them to a box.
func (p *packer) add(box, rowAxis, rows, colAxis, cols int) {
	strides := p.engine.axes.nest.Strides
	for i, k := range p.folding.Inputs {
		size := p.engine.axes.nest.ElemSizes[k]
		in := machine.Input{Base: p.inputs[k].Base, Fill: p.inputs[k].Fill, Inner: strides[k][colAxis]}
		if rowAxis >= 0 {
			in.Outer = strides[k][rowAxis]
		}
		in.Gather(unsafe.Pointer(&p.folder.Input(i)[p.work.Elems*size]), size, p.at[k], rows, cols)
	}
	first, n := p.work.Elems, rows*cols
	to := &p.work.Boxes[box]
	to.Segments = append(to.Segments, Segment{first, first + n})
	p.work.Segments++
	p.work.Elems = (first + n + p.room.Grain - 1) / p.room.Grain * p.room.Grain
}

// lanesBox returns the box with the lanes of some results, to which more may come.
func (p *packer) lanesBox(states []*state, first, count, lanes int) int {
	box := packed{states, first, count, lanes}
	if p.open >= 0 && p.boxes[p.open].is(&box) {
		return p.open
	}
	if p.left != nil && p.left.is(&box) {
		p.left = nil
	} else {
		p.close()
		p.reopen(&box)
	}
	p.open = p.newBox(box)
	return p.open
}

// is reports whether two boxes have the same lanes.
func (b *packed) is(other *packed) bool {
	return &b.states[0] == &other.states[0] && b.first == other.first && b.count == other.count
}

// resultBox returns the box with the accumulators of some results.
func (p *packer) resultBox(states []*state, first, count int) int {
	run := resultRun{&states[0], first}
	if b, ok := p.boxOf[run]; ok {
		return b
	}
	b := p.newBox(packed{states, first, count, -1})
	p.boxOf[run] = b
	return b
}

// newBox adds a box, whose accumulators begin with those that its state has.
func (p *packer) newBox(box packed) int {
	b := len(p.boxes)
	p.boxes = append(p.boxes, box)
	p.work.Boxes = slices.Grow(p.work.Boxes, 1)[:b+1]
	of := &p.work.Boxes[b]
	of.First, of.Lanes, of.Segments = p.work.Lanes, 0, of.Segments[:0]
	if p.folding.PerLane {
		of.Lanes = box.count * max(box.lanes, 1)
	}
	p.work.Lanes += of.Lanes

	p.eachCell(b, func(fold int, c cell, at int) {
		sums, lost := p.folder.Before(fold)
		copy(sums[at*p.folding.Folds[fold].Sum:], c.sums)
		copy(lost[at*p.folding.Folds[fold].Lost:], c.lost)
	})
	return b
}

// eachCell calls fn with the accumulators of a box that its state has, or its lanes have, for each
// fold, and the number of the first of its lanes.
func (p *packer) eachCell(b int, fn func(fold int, c cell, at int)) {
	box, fold := &p.boxes[b], 0
	for i, z := range p.engine.reducers {
		s, first, lanes := box.states[i], box.first, box.count
		if box.lanes >= 0 {
			s, first, lanes = p.wide[i].state, 0, p.wide[i].lanes*box.count
		}
		at := b * lanes
		if p.folding.PerLane {
			at = p.work.Boxes[b].First
		}
		p.cells = z.cells(p.cells[:0], s, first, lanes)
		for _, c := range p.cells {
			fn(fold, c, at)
			fold++
		}
	}
}
