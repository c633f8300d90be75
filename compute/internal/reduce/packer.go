package reduce

// A packer is a worker that packs the elements of its chunks for a Folder. It gathers those of
// several chunks, and then settles: it has them folded, and goes on with the accumulators as other
// workers do.
type packer struct {
	*worker
	folder  Folder
	folding *Folding
	room    FoldRoom

	work  FoldWork
	boxes []packed          // of work
	boxOf map[resultRun]int // the boxes of results
	open  int               // the last box, if more may come to its lanes, else -1
	lies  *liesAt           // nil if all inputs are packed
	left  *packed           // lanes that were settled while more may come to them; the worker has them
	cells []cell

	parts   [][]*state    // of the chunk, if their runs are columns side by side
	pending []pendingPart // parts that are packed
	ready   box           // one of them
	err     error         // after which nothing more is done
}

// A pendingPart is packed, and its results are not done.
type pendingPart struct {
	chunk, part int
	states      []*state
}

// Run implements exec.Worker.
func (p *packer) Run(chunk int) error {
	a := p.engine.axes
	a.locate(chunk, &p.box)
	if err := p.read(); err != nil {
		return err
	}
	p.pack()
	if p.engine.turned && !a.kept[a.row] {
		return p.runs(chunk)
	}
	for part := range p.box.parts {
		if err := p.part(chunk, part); err != nil {
			return err
		}
	}
	return nil
}

// part packs one part of the chunk.
func (p *packer) part(chunk, part int) error {
	p.engine.axes.locatePart(part, &p.box)
	p.states = p.fresh()
	p.walk(0, 0, p.start())
	p.close()
	p.pending = append(p.pending, pendingPart{chunk, part, p.states})
	return p.settleMany()
}

// runs packs all parts of the chunk, whose runs are columns side by side.
func (p *packer) runs(chunk int) error {
	p.parts = p.parts[:0]
	for range p.box.parts {
		p.parts = append(p.parts, p.fresh())
	}
	p.walk(0, 0, p.start())
	for part, states := range p.parts {
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
	p.work = FoldWork{Boxes: p.work.Boxes[:0], Addresses: p.work.Addresses[:0]}
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
