package ptx

import (
	"strconv"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A FoldKernel is the code of a program that folds values into accumulators, as kernel.CallFold
// does. The elements are cut into boxes of rows of some lanes each. A block of [BlockThreads]
// threads takes a box: element i of it into accumulator i % lanes, in order. Accumulator l of box b
// is element b·lanes + l of an array, whose type is that of kernel.FoldOp; each begins with what it
// has.
//
// The parameters are those of a Kernel, but for the outputs. In their place each fold has two: the
// address of its accumulators, and that of what rounding has lost, a float64 for each, or 0 where
// the fold keeps no such. The number of elements is followed by that of a box, which is a multiple
// of lanes and of PerThread, and by lanes, at most [BlockThreads].
type FoldKernel struct {
	Text      string
	PerThread int // elements that one thread computes at once
}

// foldElems is how many elements a thread computes at once at most, so that all that a block
// computes fit in shared memory.
const foldElems = 4

// maxShared is the bytes of shared memory that every device has.
const maxShared = 48 << 10

// CompileFolds makes code for the folds of a program. It returns an UnsupportedError if there is
// none for it.
func CompileFolds(p *jit.Program, l *Layouts) (k *FoldKernel, err error) {
	err = refusal(func() {
		if len(p.Folds) == 0 || len(p.Outputs) > 0 {
			refuse("folds of a program with outputs, or without folds")
		}
		c := newCompiler(p, l)
		c.perThread = min(c.perThread, foldElems)
		c.foldEntry()
		k = &FoldKernel{Text: c.text(), PerThread: c.perThread}
	})
	return k, err
}

// A fold is how a thread folds one value.
type fold struct {
	op     kernel.FoldOp
	typ    dtype.Type // of the elements
	acc    dtype.Type // of the accumulators
	value  int
	at     int    // where its elements begin in shared memory
	sum    string // the accumulator of the thread
	lost   string // what rounding has lost of it, "" if that is not kept
	sumAt  string // their addresses
	lostAt string
}

// foldEntry emits the code of folds. All threads compute elements into shared memory, a stage of
// them at a time, and the first ones, one for each lane, take them from there.
func (c *compiler) foldEntry() {
	folds := c.newFolds()
	c.loadScalars()
	thread := c.emit("b32", "mov.u32", "%tid.x")
	first, end := c.boxEnds()
	lanes := c.emit("b32", "cvt.u32.u64", c.emit("b64", "ld.param.b64", "[lanes]"))
	takes := c.emit("pred", "setp.lt.u32", thread, lanes)
	c.loadSums(folds, thread, takes)

	// The elements of a lane are lanes apart: next is the one in the stage that comes next.
	next, stage := c.emit("b32", "mov.u32", thread), strconv.Itoa(BlockThreads*c.perThread)
	loop, done := c.newLabel(), c.newLabel()
	c.mark(loop)
	c.line("@%s bra %s", c.emit("pred", "setp.ge.u64", first, end), done)
	c.computeStage(folds, thread, first, end)
	c.line("bar.sync 0")

	left := c.emit("b64", "min.u64", c.emit("b64", "sub.u64", end, first), stage)
	c.takeStage(folds, takes, next, lanes, c.emit("b32", "cvt.u32.u64", left))
	c.line("bar.sync 0")

	c.set(next, "sub.u32", next, stage)
	c.set(first, "add.u64", first, stage)
	c.line("bra %s", loop)
	c.mark(done)
	c.storeSums(folds, takes)
}

// newFolds gives each fold its place in shared memory.
func (c *compiler) newFolds() []*fold {
	var folds []*fold
	for _, f := range c.program.Folds {
		t := c.typeOf(f.Value)
		if t.Kind() == dtype.KindComplex || isSmall(t) || f.Op == kernel.FoldMoments ||
			f.Op == kernel.FoldSumSquares && t.Kind() != dtype.KindFloat {
			refuse("fold %v of type %v", f.Op, t)
		}
		folds = append(folds, &fold{op: f.Op, typ: t, acc: accumulator(f.Op, t), value: f.Value, at: c.shared})
		c.shared += BlockThreads * c.perThread * t.Size()
	}
	if c.shared > maxShared {
		refuse("%d bytes of shared memory", c.shared)
	}
	return folds
}

// accumulator returns the type of the accumulators of a fold.
func accumulator(op kernel.FoldOp, t dtype.Type) dtype.Type {
	switch {
	case op >= kernel.FoldMin:
		return t
	case t.Kind() == dtype.KindFloat:
		return dtype.Float64
	case t.Kind() == dtype.KindUint:
		return dtype.Uint64
	}
	return dtype.Int64
}

// boxEnds emits the number of the first element of the block's box, and that behind its last.
func (c *compiler) boxEnds() (first, end string) {
	block, box := c.emit("b64", "cvt.u64.u32", c.emit("b32", "mov.u32", "%ctaid.x")), c.emit("b64", "ld.param.b64", "[box]")
	first = c.emit("b64", "mul.lo.u64", block, box)
	end = c.emit("b64", "add.u64", first, box)
	return first, c.emit("b64", "min.u64", end, c.emit("b64", "ld.param.b64", "[n]"))
}

// computeStage emits the elements of a thread of the stage that begins with first.
func (c *compiler) computeStage(folds []*fold, thread, first, end string) {
	wide := c.emit("b64", "cvt.u64.u32", thread)
	own := c.emit("b64", "mad.lo.u64", wide, strconv.Itoa(c.perThread), first)
	c.end(own, end)
	c.elementPlaces = nil
	c.places(own)
	results := c.elements(own)

	for _, f := range folds {
		elements := make([]value, c.perThread)
		for i := range elements {
			elements[i] = results[i][f.value]
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
		c.line("st.shared.%s [%s+%d], %s", memoryType(f.typ), at, i*size, c.stored(v).one())
	}
}

// takeStage emits what the thread of a lane takes of a stage with some elements.
func (c *compiler) takeStage(folds []*fold, takes, next, lanes, elements string) {
	loop, done := c.newLabel(), c.newLabel()
	c.line("@!%s bra %s", takes, done)
	c.mark(loop)
	c.line("@%s bra %s", c.emit("pred", "setp.ge.u32", next, elements), done)
	for _, f := range folds {
		at := c.emit("b32", "add.u32", c.emit("b32", "mov.u32", "elements"), strconv.Itoa(f.at))
		at = c.emit("b32", "mad.lo.u32", next, strconv.Itoa(f.typ.Size()), at)
		x := value{typ: f.typ, registers: []string{c.register(registerType(f.typ))}, loose: f.typ == dtype.Bool}
		c.line("ld.shared.%s %s, [%s]", memoryType(f.typ), x.one(), at)
		c.take(f, x)
	}
	c.set(next, "add.u32", next, lanes)
	c.line("bra %s", loop)
	c.mark(done)
}
