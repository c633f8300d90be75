package exec

import (
	"cmp"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/internal/transpose"
)

// longRow is the least number of elements of a row that is walked by itself, with operands that
// don't change along it as scalars. Shorter rows are gathered into blocks.
const longRow = 256

// An Operand is one input or output of a Loop.
type Operand struct {
	// Base is the address of the element with all indexes 0.
	Base unsafe.Pointer
	// Fill makes the elements of an input that is not in memory; see machine.Input.
	Fill func(dst unsafe.Pointer, first, n int)
	// Stream asks for an output to be written past the caches.
	Stream bool
	// Read, if not nil, copies the bytes of an input from off on, counted from Base. An input whose
	// elements of a chunk are close together is read by it instead of by address.
	Read func(p []byte, off int) error
	// Address, if not 0, is where the element with all indexes 0 is on a device. Base is nil then,
	// and only jobs of that device take the operand.
	Address uint64
}

// A Loop evaluates a program for each element of a nest. It is a Job.
type Loop struct {
	program  *machine.Program
	nest     *plan.Nest
	operands []Operand
	chunks   *plan.Chunks
	inputs   int
	walk     walk
	crossed  []bool // of each input: whether boxes of it are transposed first
	block    int    // elements
	elems    int    // of a chunk, about
	feed     *feed  // nil: outputs are written
}

// A walk is a way to go through a box.
type walk uint8

const (
	byRow   walk = iota // each row by itself
	byRows              // several short rows in a block
	byPanel             // each row by itself, after the inputs that are contiguous across rows have been transposed
	squares             // as the transpose of a matrix
	strips              // as the transpose of a matrix, past the caches
)

// NewLoop returns the loop of a program over the elements of nest, whose operands are the inputs of
// the program and then its outputs. Chunks have about elems elements. It may move axes of nest.
func NewLoop(p *machine.Program, nest *plan.Nest, operands []Operand, inputs, elems int) *Loop {
	l := &Loop{program: p, nest: nest, operands: operands, inputs: inputs, elems: max(elems, 1)}
	l.choose()
	maxRows, maxCols := l.elems, l.elems
	switch l.walk {
	case byPanel:
		maxRows = panelBytes / l.smallest()
		maxCols = min(max(l.elems*l.smallest()/lineBytes, minPanelCols), panelCols)
	case squares:
		maxRows, maxCols = squareSide, squareSide
	case strips:
		maxRows = stripBytes / nest.ElemSizes[0]
		maxCols = max(l.elems/maxRows/64, 1) * 64
	}
	l.chunks = nest.Chunks(l.elems, maxRows, maxCols)
	return l
}

// choose decides how boxes are walked.
func (l *Loop) choose() {
	nest := l.nest
	tiled := nest.Tile()
	inner := nest.Sizes[len(nest.Sizes)-1]

	switch {
	case tiled && l.transposes() && l.operands[1].Stream:
		l.walk = strips
	case tiled && l.transposes():
		l.walk = squares
	case tiled && l.crosses():
		l.walk = byPanel
	case len(nest.Sizes) == 1 || inner >= longRow:
		l.walk = byRow
	default:
		l.walk = byRows
	}

	// Where inputs are gathered, a smaller block shares the first cache with its sources. Rows that
	// are read in place can take the largest one.
	l.block = l.program.SmallBlockElems()
	if l.walk != byRows && l.inPlace() {
		l.block = l.program.BlockElems()
	}
}

// transposes reports whether the loop only moves elements, and a box is the transpose of a matrix.
func (l *Loop) transposes() bool {
	size := l.nest.ElemSizes[0]
	return l.program.IsCopy() && len(l.operands) == 2 && l.operands[0].Fill == nil &&
		l.nest.Outer(0) == size && l.nest.Inner(1) == size
}

// crosses finds the inputs that are contiguous across the rows of a box, if rows of blocks are
// worth it.
func (l *Loop) crosses() bool {
	l.crossed = make([]bool, l.inputs)
	some := false
	for k := range l.inputs {
		size := l.nest.ElemSizes[k]
		l.crossed[k] = l.operands[k].Fill == nil && l.nest.Outer(k) == size && l.nest.Inner(k) != size && l.nest.Inner(k) != 0
		some = some || l.crossed[k]
	}
	return some && l.nest.Sizes[len(l.nest.Sizes)-1] >= minPanelCols
}

// inPlace reports whether all inputs are used where they lie or where a panel puts them.
func (l *Loop) inPlace() bool {
	for k := range l.inputs {
		if l.walk == byPanel && l.crossed[k] {
			continue
		}
		if s := l.nest.Inner(k); l.operands[k].Fill != nil || s != 0 && s != l.nest.ElemSizes[k] {
			return false
		}
	}
	return true
}

// packs reports whether all outputs are written, and lie without gaps along rows.
func (l *Loop) packs() bool {
	for k := l.inputs; k < len(l.operands); k++ {
		if l.nest.Inner(k) != l.nest.ElemSizes[k] {
			return false
		}
	}
	return l.feed == nil
}

// smallest returns the bytes of the smallest element of a crossed input.
func (l *Loop) smallest() int {
	size := 16
	for k, crossed := range l.crossed {
		if crossed {
			size = min(size, l.nest.ElemSizes[k])
		}
	}
	return size
}

// Extent returns the bytes [lo, hi) of operand k that a chunk touches, and those between them,
// counted from Base.
func (l *Loop) Extent(k, chunk int) (lo, hi int) { return l.chunks.Extent(k, chunk) }

// NumChunks implements Job.
func (l *Loop) NumChunks() int {
	if l.nest.NumElems() == 0 {
		return 0
	}
	return l.chunks.Len()
}

// NewWorker implements Job. A worker allocates the registers of the program, the bytes of a box for
// each input that is transposed, and those of a chunk for each that is read.
func (l *Loop) NewWorker() Worker {
	inputs, targets := make([]machine.Input, l.inputs), make([]machine.Target, len(l.operands)-l.inputs)
	for k, o := range l.operands {
		inner, outer := l.nest.Inner(k), l.nest.Outer(k)
		if l.walk != byRows {
			outer = 0
		}
		if l.walk == byPanel && k < l.inputs && l.crossed[k] {
			inner = l.nest.ElemSizes[k]
		}
		if k < l.inputs {
			inputs[k] = machine.Input{Base: o.Base, Inner: inner, Outer: outer, Fill: o.Fill}
		} else {
			targets[k-l.inputs] = machine.Target{Base: o.Base, Inner: inner, Outer: outer, Stream: o.Stream}
		}
	}

	w := &loopWorker{
		loop: l, inputs: inputs, machine: l.program.NewWorker(inputs, targets), block: l.block,
		at: make([]int, len(l.operands)), sources: make([]Source, l.inputs),
	}

	if l.walk != byRows && l.inPlace() && l.packs() {
		w.block = w.machine.BlockElems()
	}

	for k := range w.sources {
		w.sources[k].Base = l.operands[k].Base
	}

	if l.feed != nil {
		w.take = l.feed.taker()
	}

	switch l.walk {
	case byRow:
		w.evaluate = w.rows
	case byRows:
		w.evaluate = w.blocks
	case byPanel:
		w.evaluate = w.panel
	case squares:
		w.evaluate = w.transpose
	case strips:
		w.evaluate = w.stream
	}

	return w
}

// A loopWorker evaluates chunks of a Loop.
type loopWorker struct {
	loop     *Loop
	inputs   []machine.Input // the machine's
	machine  *machine.Worker
	block    int // elements
	current  plan.Box
	at       []int
	sources  []Source // of each input
	panels   [][]byte // of each input that is transposed
	evaluate func(*plan.Box) error
	take     func(b []byte) error // of a feed
	failed   error                // what take returned first
	repeated []uint64             // room for elements that are all the same
}

// Run implements Worker.
func (w *loopWorker) Run(chunk int) error {
	for k := range w.loop.inputs {
		if w.loop.operands[k].Read != nil {
			if err := w.read(k, chunk); err != nil {
				return err
			}
		}
	}
	return cmp.Or(w.loop.chunks.Boxes(chunk, &w.current, w.evaluate), w.failed)
}

// read finds the elements that a chunk has of an input which is read.
func (w *loopWorker) read(k, chunk int) error {
	l := w.loop
	lo, hi := l.chunks.Extent(k, chunk)
	err := w.sources[k].Load(&l.operands[k], lo, hi, l.elems*l.nest.ElemSizes[k])
	w.inputs[k].Base = w.sources[k].Base
	return err
}

// Release implements Releaser.
func (w *loopWorker) Release() { w.machine.Release() }

// rows evaluates each row of a box by itself.
func (w *loopWorker) rows(b *plan.Box) error {
	cols := evenly(b.Cols, w.block)
	for row := range b.Rows {
		w.row(b, row, 1, cols)
	}
	return nil
}

// blocks evaluates a box of short rows, several at once.
func (w *loopWorker) blocks(b *plan.Box) error {
	cols := min(b.Cols, w.loop.block)
	rows := w.loop.block / cols
	for row := 0; row < b.Rows; row += rows {
		w.row(b, row, min(rows, b.Rows-row), cols)
	}
	return nil
}

// transpose moves a box.
func (w *loopWorker) transpose(b *plan.Box) error {
	n, out := w.loop.nest, w.loop.operands[1].Base
	transpose.Matrix(unsafe.Add(out, b.At[1]), w.sources[0].At(b.At[0]), b.Cols, b.Rows, n.Outer(1), n.Inner(0), n.ElemSizes[0])
	return nil
}

// stream moves a box past the caches.
func (w *loopWorker) stream(b *plan.Box) error {
	n, out := w.loop.nest, w.loop.operands[1].Base
	transpose.Stream(unsafe.Add(out, b.At[1]), w.sources[0].At(b.At[0]), b.Cols, b.Rows, n.Outer(1), n.Inner(0), n.ElemSizes[0])
	return nil
}

// evenly returns a size for the pieces of n. It is a multiple of 64 and at most most. The last
// piece is as long as this allows.
func evenly(n, most int) int {
	pieces := (n + most - 1) / most
	if pieces <= 1 {
		return most
	}
	size := (n + pieces - 1) / pieces
	return min(most, (size+63)/64*64)
}

// row evaluates some rows of a box in blocks of the given number of columns. The first block may be
// shorter, so that the others are aligned.
func (w *loopWorker) row(b *plan.Box, row, rows, cols int) {
	n := w.loop.nest

	// A first, shorter block brings the rest of a single row to an aligned address.
	first := cols
	if rows == 1 {
		first = w.untilAligned(b, row, cols)
	}

	for col := 0; col < b.Cols; {
		for k := range w.at {
			w.at[k] = b.At[k] + row*n.Outer(k) + col*n.Inner(k)
		}
		for k := range w.sources {
			w.locate(k, b, row, col)
		}

		n := min(first, b.Cols-col)
		w.machine.Eval(w.at, rows, n)
		if w.take != nil {
			w.give(rows * n)
		}

		col += first
		first = cols
	}
}

// locate sets the offset of an input that is not where its Base says.
func (w *loopWorker) locate(k int, b *plan.Box, row, col int) {
	if w.panels != nil && w.panels[k] != nil {
		size := w.loop.nest.ElemSizes[k]
		w.at[k] = row*panelStride(b.Cols, size) + col*size
		return
	}
	w.at[k] = w.sources[k].Offset(w.at[k])
}

// untilAligned returns the number of columns after which the output of a row is on a boundary of 64
// bytes, if it can be and is not yet, and otherwise cols.
func (w *loopWorker) untilAligned(b *plan.Box, row, cols int) int {
	out := w.loop.inputs
	if len(w.at) != out+1 || !w.loop.operands[out].Stream {
		return cols
	}
	n := w.loop.nest
	size := n.ElemSizes[out]
	past := uintptr(unsafe.Add(w.loop.operands[out].Base, b.At[out]+row*n.Outer(out))) % 64
	if past == 0 || int(past)%size != 0 || n.Inner(out) != size {
		return cols
	}
	return (64 - int(past)) / size
}
