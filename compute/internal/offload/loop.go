package offload

import (
	"context"
	"slices"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/ptx"
)

const (
	// pieceBytes is what a chunk has of its widest operand at most, and leastBytes what it has at
	// least before there are fewer slots.
	pieceBytes = 4 << 20
	leastBytes = 4 << 10
	// tiledCols is the number of columns of a box at most, if an operand is contiguous across them:
	// its boxes then have many rows.
	tiledCols = 2048
	// grain is what the places of operands are multiples of.
	grain = 256
)

// A Loop evaluates a program for each element of a nest. It is an exec.Job. It must be closed.
type Loop struct {
	ctx      context.Context
	engine   *Engine
	code     *code
	program  *machine.Program
	lowered  machine.Lowered
	nest     *plan.Nest
	all      []exec.Operand // of the nest
	read     int            // how many of them are inputs
	operands []exec.Operand // of the inputs that the program reads, then of the outputs
	numbers  []int          // of each of them, its number in the nest
	layouts  ptx.Layouts
	chunks   *plan.Chunks
	places   []place // of each operand
	elems    int     // of a chunk at most
	crew
	staged bool   // whether some of them go through staging memory
	tiled  bool   // whether boxes are tiles
	marks  []mark // of each chunk
}

// A place is where a slot has an operand: in its memory on the device, and in the staging memory,
// from which it goes there or to which it comes.
type place struct{ memory, stage, size int }

// NewLoop returns the loop of a program over the elements of nest, whose operands are the inputs of
// the program and then its outputs. It ends with ctx. It may move axes of nest. NewLoop returns a
// *ptx.UnsupportedError if there is no code for the program, and a *device.MemoryError if there is
// not enough memory for the least chunks.
func (e *Engine) NewLoop(ctx context.Context, p *machine.Program, nest *plan.Nest, operands []exec.Operand, inputs int) (*Loop, error) {
	l, err := e.cutLoop(ctx, p, nest, operands, inputs)
	if err != nil {
		return nil, err
	}
	if l.code, err = e.code(&l.lowered, &l.layouts); err != nil {
		return nil, err
	}
	slots := min(e.slots, max(l.chunks.Len(), 1))
	least, elems := l.size()
	taken, err := e.equip(slots, elems, least, l.cut)
	if err != nil {
		return nil, err
	}
	l.begin(taken)
	l.marks = make([]mark, l.NumChunks())
	return l, nil
}

// cutLoop returns a loop that has nothing of the device, cut into chunks of the size that it wants.
func (e *Engine) cutLoop(ctx context.Context, p *machine.Program, nest *plan.Nest, operands []exec.Operand, inputs int) (*Loop, error) {
	lowered, err := lower(p, isResident(operands...))
	if err != nil {
		return nil, err
	}
	l := &Loop{ctx: ctx, engine: e, program: p, lowered: lowered, nest: nest, all: operands, read: inputs, numbers: slices.Clone(lowered.Inputs)}
	for k := inputs; k < len(operands); k++ {
		l.numbers = append(l.numbers, k)
	}
	for _, k := range l.numbers {
		l.operands = append(l.operands, operands[k])
	}

	// The layouts depend on how boxes are cut, and the code on the layouts. Smaller chunks have the
	// same layouts.
	tiled := nest.Tile()
	_, elems := l.size()
	l.tiled = tiled && l.staged
	l.cut(elems)
	l.choose()
	return l, nil
}

// inputs returns how many of the operands are read.
func (l *Loop) inputs() int { return len(l.lowered.Inputs) }

// size returns how many elements a chunk has, and how many it has at least.
func (l *Loop) size() (least, elems int) {
	widest := 0 // bytes of an element in staging memory
	for i, k := range l.numbers {
		if !isResident(l.operands[i]) {
			widest = max(widest, l.nest.ElemSizes[k])
		}
	}
	if widest == 0 {
		n := min(max(l.nest.NumElems(), 1), residentElems)
		return n, n
	}
	least, l.staged = leastBytes/widest, true
	return least, exec.ChunkSize(l.nest.NumElems(), least, pieceBytes/widest, l.engine.slots)
}

// choose decides how the elements of a chunk lie in staging memory. An input that is the same for
// all rows or all columns of a box is there once, if a chunk is one box.
func (l *Loop) choose() {
	rows, cols, boxes := l.chunks.Box()
	l.layouts.Inputs = make([]ptx.Layout, l.inputs())
	for i := range l.layouts.Inputs {
		k := l.numbers[i]
		sameDown, sameAcross := l.nest.Outer(k) == 0, l.nest.Inner(k) == 0
		switch {
		case isResident(l.operands[i]) || boxes > 1 || !sameDown && !sameAcross:
		case sameAcross && (!sameDown || rows <= cols):
			l.layouts.Inputs[i] = ptx.PerRow
		case sameDown && rows > 1:
			l.layouts.Inputs[i] = ptx.PerColumn
		}
	}
	l.chooseResident()
}

// cut cuts the nest into chunks of about elems elements, and returns the room that a slot needs for
// one. With many columns of an operand that is contiguous across them, boxes are tiles.
func (l *Loop) cut(elems int) room {
	maxCols := elems
	if l.tiled {
		maxCols = min(elems, tiledCols)
	}
	l.chunks = l.nest.Chunks(elems, elems, maxCols)
	if isResident(l.operands...) {
		l.chunks = l.regular(elems, maxCols)
	}
	rows, cols, boxes := l.chunks.Box()
	l.elems = rows * cols * boxes

	var r room
	l.places = l.places[:0]
	for i, k := range l.numbers {
		n := l.elems
		if i < len(l.layouts.Inputs) {
			n = elemsOf(l.layouts.Inputs[i], n, rows, cols)
		}
		p := place{memory: r.bytes(), stage: r.up, size: l.nest.ElemSizes[k]}
		if isResident(l.operands[i]) {
			l.places = append(l.places, p)
			continue
		}
		bytes := (n*p.size + grain - 1) / grain * grain
		if i < l.inputs() {
			r.up += bytes
		} else {
			p.stage = r.down
			r.down += bytes
		}
		l.places = append(l.places, p)
	}
	return r
}

// elemsOf returns how many elements an input has in staging memory for a box of n elements.
func elemsOf(l ptx.Layout, n, rows, cols int) int {
	switch l {
	case ptx.PerRow:
		return rows
	case ptx.PerColumn:
		return cols
	}
	return n
}

// NumChunks implements exec.Job.
func (l *Loop) NumChunks() int {
	if l.nest.NumElems() == 0 {
		return 0
	}
	return l.chunks.Len()
}

// Extent returns the bytes [lo, hi) of operand k of the nest that a chunk touches, and those between
// them, counted from Base.
func (l *Loop) Extent(k, chunk int) (lo, hi int) { return l.chunks.Extent(k, chunk) }

// NewWorker implements exec.Job. At most Workers of them may be there at once.
func (l *Loop) NewWorker() exec.Worker { return newWorker(l, l.hire()) }

// Close gives the slots back.
func (l *Loop) Close() error {
	err := l.engine.give(l.slots)
	l.begin(nil)
	return l.engine.atEnd(err)
}
