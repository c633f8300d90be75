package ptx

import (
	"strconv"

	"github.com/tstore/tstore/dtype"
)

// foldEntry emits the code of folds. All threads compute elements into shared memory, a stage of
// them at a time, and the first ones, one for each lane, take them from there.
func (c *compiler) foldEntry() {
	folds := c.newFolds()
	for _, f := range folds {
		f.at = c.shared
		c.shared += BlockThreads * c.perThread * f.typ.Size()
	}
	if c.shared > maxShared {
		refuse("%d bytes of shared memory", c.shared)
	}
	c.loadScalars()
	thread := c.emit("b32", "mov.u32", "%tid.x")
	for _, f := range folds {
		f.lanes = c.emit("b64", "ld.param.b64", "[lanes"+strconv.Itoa(f.number)+"]")
		f.first = c.emit("b64", "mul.lo.u64", c.boxWord(2), f.lanes)
	}
	c.loadSums(folds, thread)

	// The elements of a lane are lanes apart: next is the one in the stage that comes next.
	stage := strconv.Itoa(BlockThreads * c.perThread)
	c.eachSegment(func(first, end string) {
		for _, f := range folds {
			f.next = c.emit("b32", "mov.u32", thread)
		}
		loop, done := c.newLabel(), c.newLabel()
		c.mark(loop)
		c.line("@%s bra %s", c.emit("pred", "setp.ge.u64", first, end), done)
		c.computeStage(folds, thread, first, end)
		c.line("bar.sync 0")

		left := c.emit("b32", "cvt.u32.u64", c.emit("b64", "min.u64", c.emit("b64", "sub.u64", end, first), stage))
		for _, f := range folds {
			c.takeStage(f, left)
			c.set(f.next, "sub.u32", f.next, stage)
		}
		c.line("bar.sync 0")

		c.set(first, "add.u64", first, stage)
		c.line("bra %s", loop)
		c.mark(done)
	})
	c.storeSums(folds)
}

// computeStage emits the elements of a thread of the stage that begins with first.
func (c *compiler) computeStage(folds []*fold, thread, first, end string) {
	wide := c.emit("b64", "cvt.u64.u32", thread)
	own := c.emit("b64", "mad.lo.u64", wide, strconv.Itoa(c.perThread), first)
	c.end(own, end)
	c.places(own)
	results := c.elements(own)

	for _, f := range folds {
		elements := make([]value, c.perThread)
		for i := range elements {
			elements[i] = c.folded(f, results[i])
		}
		c.storeShared(f, thread, elements)
	}
}

// storeShared puts the elements of a thread side by side.
func (c *compiler) storeShared(f *fold, thread string, elements []value) {
	size := f.typ.Size()
	at := c.emit("b32", "add.u32", c.emit("b32", "mov.u32", "elements"), strconv.Itoa(f.at))
	at = c.emit("b32", "mad.lo.u32", thread, strconv.Itoa(c.perThread*size), at)
	for i, v := range elements {
		c.line("st.shared.%s [%s+%d], %s", memoryType(f.typ), at, i*size, v.one())
	}
}

// takeStage emits what the thread of a lane takes of a stage with some elements.
func (c *compiler) takeStage(f *fold, elements string) {
	loop, done := c.newLabel(), c.newLabel()
	c.line("@!%s bra %s", f.takes, done)
	c.mark(loop)
	c.line("@%s bra %s", c.emit("pred", "setp.ge.u32", f.next, elements), done)
	at := c.emit("b32", "add.u32", c.emit("b32", "mov.u32", "elements"), strconv.Itoa(f.at))
	at = c.emit("b32", "mad.lo.u32", f.next, strconv.Itoa(f.typ.Size()), at)
	x := value{typ: f.typ, registers: []string{c.register(registerType(f.typ))}, loose: f.typ == dtype.Bool}
	c.line("ld.shared.%s %s, [%s]", memoryType(f.typ), x.one(), at)
	c.take(f, x)
	c.set(f.next, "add.u32", f.next, c.emit("b32", "cvt.u32.u64", f.lanes))
	c.line("bra %s", loop)
	c.mark(done)
}
