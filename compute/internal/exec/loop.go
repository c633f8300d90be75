package exec

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/internal/transpose"
)

// tileCols is the number of columns of a block in a tiled nest: whole cache lines of every operand.
const tileCols = 64

// panelCols is the number of rows and columns of a box in a tiled nest: the cache lines of its edge fit in the
// second cache, whichever way they run.
const panelCols = 256

// longRow is the number of elements from which on a row is walked by itself, so that operands that are the same
// along it are scalars, and shorter rows are gathered into blocks.
const longRow = 256

// An Operand is one input or output of a Loop.
type Operand struct {
	// Base is the address of the element with all indexes 0.
	Base unsafe.Pointer
	// Fill makes the elements of an input that is not in memory; see machine.Input.
	Fill func(dst unsafe.Pointer, first, n int)
	// Stream asks for an output to be written past the caches.
	Stream bool
	// Read copies the bytes of an input from off on, counted from Base, which is read this way instead of by address
	// where the elements of a chunk are close together. It may be nil.
	Read func(p []byte, off int) error
}

// A Loop evaluates a program for each element of a nest. It is a Job.
type Loop struct {
	program  *machine.Program
	nest     *plan.Nest
	operands []Operand
	chunks   *plan.Chunks
	inputs   int
	tiled    bool
	rows     bool // whether each row is walked by itself
	block    int  // elements
	elems    int  // of a chunk, about
}

// NewLoop returns the loop of a program over the elements of nest, whose operands are the inputs of the program and
// then its outputs. Chunks have about elems elements. It may move axes of nest.
func NewLoop(p *machine.Program, nest *plan.Nest, operands []Operand, inputs, elems int) *Loop {
	l := &Loop{program: p, nest: nest, operands: operands, inputs: inputs, elems: max(elems, 1)}
	l.tiled = nest.Tile()
	if inner := nest.Sizes[len(nest.Sizes)-1]; len(nest.Sizes) == 1 || inner >= longRow && !l.tiled {
		l.rows = true
	}
	l.block = p.SmallBlockElems()
	if l.rows && l.inPlace() {
		l.block = p.BlockElems()
	}
	cols := l.elems
	if l.tiled {
		cols = panelCols
	}
	l.chunks = nest.Chunks(l.elems, l.tiled, cols)
	return l
}

// Extent returns the bytes [lo, hi) of operand k that a chunk touches, and those between them, counted from Base.
func (l *Loop) Extent(k, chunk int) (lo, hi int) { return l.chunks.Extent(k, chunk) }

// inPlace reports whether all inputs can be used where they lie.
func (l *Loop) inPlace() bool {
	for k := range l.inputs {
		if s := l.nest.Inner(k); l.operands[k].Fill != nil || s != 0 && s != l.nest.ElemSizes[k] {
			return false
		}
	}
	return true
}

// NumChunks implements Job.
func (l *Loop) NumChunks() int {
	if l.nest.NumElems() == 0 {
		return 0
	}
	return l.chunks.Len()
}

// NewWorker implements Job.
func (l *Loop) NewWorker() Worker {
	inputs, targets := make([]machine.Input, l.inputs), make([]machine.Target, len(l.operands)-l.inputs)
	for k, o := range l.operands {
		inner, outer := l.nest.Inner(k), l.nest.Outer(k)
		if l.rows {
			outer = 0
		}
		if k < l.inputs {
			inputs[k] = machine.Input{Base: o.Base, Inner: inner, Outer: outer, Fill: o.Fill}
		} else {
			targets[k-l.inputs] = machine.Target{Base: o.Base, Inner: inner, Outer: outer, Stream: o.Stream}
		}
	}
	w := &loopWorker{loop: l, inputs: inputs, machine: l.program.NewWorker(inputs, targets), at: make([]int, len(l.operands)), shift: make([]int, len(l.operands))}
	w.evaluate = w.box
	if l.transposes() {
		w.evaluate = w.transpose
	}
	return w
}

// transposes reports whether the loop only moves elements, and a box is the transpose of a matrix.
func (l *Loop) transposes() bool {
	return l.tiled && l.program.IsCopy() && len(l.operands) == 2 && l.operands[0].Fill == nil &&
		l.nest.Outer(0) == l.nest.ElemSizes[0] && l.nest.Inner(1) == l.nest.ElemSizes[0]
}

// A loopWorker evaluates chunks of a Loop.
type loopWorker struct {
	loop     *Loop
	inputs   []machine.Input // the machine's
	machine  *machine.Worker
	current  plan.Box
	at       []int
	shift    []int // bytes from Base to the address that offsets count from
	buffers  [][]byte
	evaluate func(*plan.Box) error
}

// Run implements Worker.
func (w *loopWorker) Run(chunk int) error {
	for k := range w.loop.inputs {
		if read := w.loop.operands[k].Read; read != nil {
			if err := w.read(k, chunk, read); err != nil {
				return err
			}
		}
	}
	return w.loop.chunks.Boxes(chunk, &w.current, w.evaluate)
}

// maxSparse is how many times the bytes of its elements the extent of a chunk may be to be read whole.
const maxSparse = 4

// read makes an input of a chunk a buffer with its bytes, or the memory where it lies if that is much more.
func (w *loopWorker) read(k, chunk int, read func(p []byte, off int) error) error {
	l := w.loop
	lo, hi := l.chunks.Extent(k, chunk)
	if hi-lo > maxSparse*l.elems*l.nest.ElemSizes[k] {
		w.inputs[k].Base, w.shift[k] = l.operands[k].Base, 0
		return nil
	}
	if w.buffers == nil {
		w.buffers = make([][]byte, l.inputs)
	}
	if cap(w.buffers[k]) < hi-lo {
		w.buffers[k] = make([]byte, hi-lo)
	}
	buf := w.buffers[k][:hi-lo]
	w.inputs[k].Base, w.shift[k] = unsafe.Pointer(unsafe.SliceData(buf)), lo
	return read(buf, lo)
}

// box evaluates a box in blocks.
func (w *loopWorker) box(b *plan.Box) error {
	var rows, cols int
	switch l := w.loop; {
	case l.rows:
		rows, cols = 1, evenly(b.Cols, l.block)
	case l.tiled:
		cols = min(tileCols, l.block)
		rows = max(1, l.block/cols)
	default:
		cols = min(b.Cols, l.block)
		rows = l.block / cols
	}
	for row := 0; row < b.Rows; row += rows {
		w.row(b, row, min(rows, b.Rows-row), cols)
	}
	return nil
}

// transpose moves a box.
func (w *loopWorker) transpose(b *plan.Box) error {
	n, in, out := w.loop.nest, w.inputs[0].Base, w.loop.operands[1].Base
	transpose.Matrix(unsafe.Add(out, b.At[1]), unsafe.Add(in, b.At[0]-w.shift[0]), b.Cols, b.Rows, n.Outer(1), n.Inner(0), n.ElemSizes[0])
	return nil
}

// evenly returns a size of pieces of n, at most most and a multiple of 64, that leaves no short one at the end
// without need.
func evenly(n, most int) int {
	pieces := (n + most - 1) / most
	if pieces <= 1 {
		return most
	}
	size := (n + pieces - 1) / pieces
	return min(most, (size+63)/64*64)
}

// row evaluates some rows of a box in blocks of the given number of columns, the first of which may be shorter so
// that the others are aligned.
func (w *loopWorker) row(b *plan.Box, row, rows, cols int) {
	n := w.loop.nest
	first := cols
	if rows == 1 {
		first = w.untilAligned(b, row, cols)
	}
	for col := 0; col < b.Cols; {
		for k := range w.at {
			w.at[k] = b.At[k] + row*n.Outer(k) + col*n.Inner(k) - w.shift[k]
		}
		w.machine.Eval(w.at, rows, min(first, b.Cols-col))
		col += first
		first = cols
	}
}

// untilAligned returns the number of columns after which the output of a row is on a boundary of 64 bytes, if it can
// be and is not yet, and otherwise cols.
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
