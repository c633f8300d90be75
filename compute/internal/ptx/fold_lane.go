package ptx

import "strconv"

// laneUnroll is how many elements of a lane a thread loads before it takes the first of them.
const laneUnroll = 4

// laneEntry emits the code of folds with a thread for each lane, which computes the elements that it
// takes.
func (c *compiler) laneEntry() {
	folds := c.newFolds()
	c.loadScalars()
	block, thread := c.emit("b32", "mov.u32", "%ctaid.y"), c.emit("b32", "mov.u32", "%tid.x")
	lane := c.emit("b32", "mad.lo.u32", block, strconv.Itoa(BlockThreads), thread)
	first, lanes := c.boxWord(2), c.boxWord(3)
	for _, f := range folds {
		f.first, f.lanes = first, lanes
	}
	wide, done := c.emit("b64", "cvt.u64.u32", lane), c.newLabel()
	c.line("@%s bra %s", c.emit("pred", "setp.ge.u64", wide, lanes), done)
	c.loadSums(folds, lane)

	// Most elements of a segment are loaded several at a time.
	c.present, c.inside = true, []string{c.always(true).one()}
	c.eachSegment(func(first, end string) {
		at := c.emit("b64", "add.u64", first, wide)
		c.takeLane(folds, at, end, lanes, laneUnroll)
		c.takeLane(folds, at, end, lanes, 1)
	})
	c.storeSums(folds)
	c.mark(done)
}

// takeLane emits a loop that takes so many elements at a time, from number at on, while there are as
// many before end.
func (c *compiler) takeLane(folds []*fold, at, end, lanes string, several int) {
	loop, done := c.newLabel(), c.newLabel()
	c.mark(loop)
	last := at
	if several > 1 {
		last = c.emit("b64", "mad.lo.u64", lanes, strconv.Itoa(several-1), at)
	}
	c.line("@%s bra %s", c.emit("pred", "setp.ge.u64", last, end), done)

	// at is a register that goes on from one round of the loop to the next.
	var elements [][]value
	for i := range several {
		number := c.emit("b64", "mad.lo.u64", lanes, strconv.Itoa(i), at)
		c.places(number)
		elements = append(elements, c.elements(number)...)
	}
	c.set(at, "mad.lo.u64", lanes, strconv.Itoa(several), at)
	for _, element := range elements {
		for _, f := range folds {
			c.take(f, c.folded(f, element))
		}
	}
	c.line("bra %s", loop)
	c.mark(done)
}
