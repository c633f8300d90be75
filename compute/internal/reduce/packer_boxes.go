package reduce

import (
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/machine"
)

// A packed box is some results, whose accumulators are lanes, or their own.
type packed struct {
	states []*state // of the results
	first  int
	count  int
	lanes  int // for each of them, ownLanes or noLanes
}

const (
	ownLanes = 0  // each reduction has as many lanes as on the CPU
	noLanes  = -1 // the accumulators are those of the results
)

// A resultRun tells results apart.
type resultRun struct {
	states **state
	first  int
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
// Those that lie on a device stay there.
func (p *packer) add(box, rowAxis, rows, colAxis, cols int) {
	strides := p.engine.axes.nest.Strides
	for i, k := range p.folding.Inputs {
		if p.engine.isOnDevice(k) {
			continue
		}
		size := p.engine.axes.nest.ElemSizes[k]
		in := machine.Input{Base: p.inputs[k].Base, Fill: p.inputs[k].Fill, Inner: strides[k][colAxis]}
		if rowAxis >= 0 {
			in.Outer = strides[k][rowAxis]
		}
		in.Gather(unsafe.Pointer(&p.folder.Input(i)[p.work.Elems*size]), size, p.at[k], rows, cols)
	}
	first, n := p.work.Elems, rows*cols
	to := &p.work.Boxes[box]
	to.Segments = append(to.Segments, p.segment(first, n, cols))
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
	b := p.newBox(packed{states, first, count, noLanes})
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
		if box.lanes != noLanes {
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

// take takes over the accumulators of a box. Lanes to which nothing more comes are merged.
func (p *packer) take(b int) {
	box := &p.boxes[b]
	if box.lanes != noLanes {
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
	case box.lanes != noLanes:
		p.states = box.states
		p.flush()
	}
}

// reopen makes the lanes of all reductions ready for a box.
func (p *packer) reopen(box *packed) {
	for i, z := range p.engine.reducers {
		lanes := box.lanes
		if lanes == ownLanes {
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
