package ptx

import (
	"strconv"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A FoldKernel is the code of a program that folds values into accumulators, as kernel.CallFold
// does. The elements are cut into segments, and one or several segments make a box, which has some
// lanes for each fold: element i of a segment goes to lane i % lanes. A lane takes the elements of
// one segment in order, and then those of the next. Lane l of box b is element b·lanes + l of an
// array of accumulators, whose type is that of kernel.FoldOp; each begins with what it has. A fold
// of complex numbers takes their parts like elements of their own, and has two accumulators side by
// side for each lane.
//
// The parameters are those of a Kernel, but for the outputs and the number of elements. Each fold
// has three: the address of its accumulators, that of what rounding has lost, a float64 for each, or
// 0 where the fold keeps no such, and its lanes. Two addresses follow. At the first, block x of the
// grid finds four numbers of 8 bytes: the first of the segments of its box, the one behind the
// last, the number of the box, and nothing. At the second, each segment has two: its first element,
// a multiple of SegmentGrain, and the one behind its last.
//
// Inputs that are Strided lie by segments, which are rows and columns: element i of a segment is in
// row i / cols and column i % cols. Each segment has more numbers behind its first two: cols, then
// what is added to its rows and to its columns, and, for each such input, an address. Of the
// coordinates of an element, Layouts.Rows are those of its row, in C order, and the others those of
// its column; without rows, all elements are in one. The addresses in the parameters do not count.
//
// Where each lane has a thread, boxes differ in lanes, and have as many of each fold: the third
// number of a box is that of its first lane among those of all boxes, and the fourth how many lanes
// it has. The parameters have no lanes.
type FoldKernel struct {
	Text string
	// PerThread is how many elements a thread computes at once.
	PerThread int
	// PerLane says that each lane has a thread. The grid has as many blocks along y as a box needs
	// for its lanes. Otherwise the threads of a block compute all elements of a box together, and
	// folds have at most MaxLanes lanes.
	PerLane bool
}

// SegmentGrain is what the numbers of the first elements of segments are multiples of.
const SegmentGrain = 16

// MaxLanes is how many lanes the folds of a FoldKernel that is not PerLane have at most.
const MaxLanes = BlockThreads

// foldElems is how many elements a thread computes at once at most, so that all that a block
// computes fit in shared memory.
const foldElems = 4

// maxShared is the bytes of shared memory that every device has.
const maxShared = 48 << 10

// CompileFolds makes code for the folds of a program, with a thread for each lane if perLane says
// so. It returns an UnsupportedError if there is none for it.
func CompileFolds(p *jit.Program, l *Layouts, perLane bool) (k *FoldKernel, err error) {
	err = refusal(func() {
		if len(p.Folds) == 0 || len(p.Outputs) > 0 {
			refuse("folds of a program with outputs, or without folds")
		}
		c := newCompiler(p, l)
		c.perThread = min(c.perThread, foldElems)
		if perLane {
			c.perThread, c.perLane = 1, true
			c.laneEntry()
		} else {
			c.foldEntry()
		}
		k = &FoldKernel{Text: c.text(), PerThread: c.perThread, PerLane: perLane}
	})
	return k, err
}

// A fold is how a thread folds one value, or a part of it.
type fold struct {
	number      int // of the program's folds
	op          kernel.FoldOp
	typ         dtype.Type // of the elements, or of their parts
	acc         dtype.Type // of the accumulators
	value       int
	part, parts int
	at          int    // where its elements begin in shared memory
	lanes       string // how many the block's box has
	first       string // the number of the first of them
	takes       string // the predicate that the thread has one of them
	next        string // the element of a stage that the lane takes next
	sum         string // the accumulator of the thread
	lost        string // what rounding has lost of it, "" if that is not kept
	sumAt       string // their addresses
	lostAt      string
}

// newFolds lists the folds of the parts of values.
func (c *compiler) newFolds() []*fold {
	var folds []*fold
	for number, f := range c.program.Folds {
		t := c.program.TypeOf(f.Value)
		part := t.Part()
		switch {
		case isSmall(t), f.Op == kernel.FoldMoments, f.Op == kernel.FoldSumSquares && part.Kind() != dtype.KindFloat,
			t.Kind() == dtype.KindComplex && f.Op != kernel.FoldSum && f.Op != kernel.FoldSumSquares:
			refuse("fold %v of type %v", f.Op, t)
		}
		parts := t.Size() / part.Size()
		for i := range parts {
			folds = append(folds, &fold{number: number, op: f.Op, typ: part, acc: f.Op.Accumulator(part), value: f.Value, part: i, parts: parts})
		}
	}
	return folds
}

// boxWord emits one of the numbers that the block has of its box.
func (c *compiler) boxWord(k int) string {
	block := c.emit("b64", "cvt.u64.u32", c.emit("b32", "mov.u32", "%ctaid.x"))
	at := c.emit("b64", "mad.lo.u64", block, "32", c.emit("b64", "ld.param.b64", "[boxes]"))
	return c.emit("b64", "ld.global.b64", "["+at+"+"+strconv.Itoa(8*k)+"]")
}

// folded returns what a fold takes of an element: a bool as its byte.
func (c *compiler) folded(f *fold, element []value) value {
	v := element[f.value]
	if f.parts > 1 {
		return v.part(f.part)
	}
	return c.stored(v)
}
