package reduce

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/internal/transpose"
)

const (
	// stripCols is the largest number of columns of a block that is used where it lies: its
	// accumulators stay in the caches while rows go by.
	stripCols = 4096
	// tallRows is the number of rows of a block that is read more than once, by accumulators that
	// take some time for each column. tallCols is the number of columns if the block is used in
	// place.
	tallRows = 128
	tallCols = 1024
	// tileSide is the number of rows and columns of blocks of operands that disagree on which axis
	// is contiguous.
	tileSide = 64
	// narrow is the number of results below which several rows are made one.
	narrow = 64
	// wideCols is the least number of columns of such rows. It is a multiple of vectorCols, so that
	// kernels work on whole vectors.
	wideCols   = 32
	vectorCols = 8
)

// A worker reduces chunks of an Engine.
type worker struct {
	engine  *Engine
	machine *machine.Worker
	inputs  []machine.Input // the machine's
	buffers [][]byte        // of the inputs that are read
	packed  []scratch       // of the inputs that are packed
	shift   []int           // bytes from where at counts to the address of each input
	scratch scratch
	box     box
	at      []int            // byte offset of each input
	indexes []int            // along each axis, where at is
	adding  block            // whose elements are being added
	states  []*state         // of the box
	runs    [][]*state       // of the parts of the box, if the blocks have columns of several of them
	wide    []wide           // of each reducer
	sparse  int              // the engine's, if elements are used where they lie
	packer  *packer          // which takes elements in place of the worker; nil for none
	fused   []unsafe.Pointer // accumulators of all reducers, if the machine reduces elements as it computes them; else nil

	// elements makes rows·cols elements at w.at ready and returns where those of an output are.
	elements func(rows, cols int) func(output int) (ptr unsafe.Pointer, stride int)
}

// wide is the state of several lanes for each result, between blocks with the same results.
type wide struct {
	state *state
	first int // of the results
	count int // of the results
	lanes int // 0: there is nothing in it
}

// Run implements exec.Worker.
func (w *worker) Run(chunk int) error {
	w.engine.axes.locate(chunk, &w.box)
	if err := w.read(); err != nil {
		return err
	}
	w.pack()
	if w.engine.turned {
		return w.turnedChunk()
	}
	for part := range w.box.parts {
		if err := w.part(part); err != nil {
			return err
		}
	}
	return nil
}

// part reduces one part of the chunk.
func (w *worker) part(part int) error {
	e, b := w.engine, &w.box
	e.axes.locatePart(part, b)
	w.states = w.fresh()
	w.walk(0, 0, w.start())
	w.flush()
	states := w.states
	w.states = nil
	return w.done(b, states)
}

// fresh returns states of no elements for the results of the box.
func (w *worker) fresh() []*state {
	states := w.engine.free.get()
	for i, z := range w.engine.reducers {
		z.reset(states[i], w.box.outputs)
		w.wide[i].lanes = 0
	}
	return states
}

// done merges the states of a part with those of others, and writes the results when they are all
// there.
func (w *worker) done(b *box, states []*state) error {
	e := w.engine
	states = e.tree.put(b.group, b.part, e.axes.parts, states, e.merge(b.outputs))
	if states == nil {
		return nil
	}
	err := e.finish(b, states)
	e.free.put(states)
	return err
}

// start sets the offsets to the first element of the box, and returns its index.
func (w *worker) start() (index int) {
	a := w.engine.axes
	for k := range w.at {
		w.at[k] = a.nest.Start[k] - w.shift[k]
	}
	clear(w.indexes)
	index = a.nest.Start[a.index]
	for axis, low := range w.box.low {
		w.move(axis, low)
		index += low * a.nest.Strides[a.index][axis]
	}
	return index
}

// walk goes through the axes that are not those of blocks, from axis on.
func (w *worker) walk(axis, first, index int) {
	a := w.engine.axes
	for axis < len(a.kept) && (axis == a.col || axis == a.row) {
		axis++
	}
	if axis == len(a.kept) {
		w.blocks(first, index)
		return
	}
	step := a.nest.Strides[a.index][axis]
	for i := range w.box.size[axis] {
		w.walk(axis+1, first+i*w.box.stride[axis], index+i*step)
		w.move(axis, 1)
	}
	w.move(axis, -w.box.size[axis])
}

// move moves along an axis.
func (w *worker) move(axis, by int) {
	strides := w.engine.axes.nest.Strides
	for k := range w.at {
		w.at[k] += by * strides[k][axis]
	}
	w.indexes[axis] += by
}

// blocks walks the rows and columns at one place of the other axes. If the elements of each result
// come in the order of their indexes, its lanes cover one run, except for reductions whose lanes go
// on.
func (w *worker) blocks(first, index int) {
	if w.packer != nil {
		w.packer.rectangle(first)
		return
	}
	if w.engine.turned {
		w.turned(first, index)
		return
	}
	w.rectangle(first, index)
	if w.engine.axes.dims == nil || w.engine.axes.row >= 0 {
		return
	}
	for i, z := range w.engine.reducers {
		if !w.engine.axes.rows || !z.goesOn() {
			w.flushOne(i)
		}
	}
}

// rectangle goes through the blocks of the rows and columns at one place of the other axes.
func (w *worker) rectangle(first, index int) {
	a, b := w.engine.axes, &w.box
	height, width := 1, b.size[a.col]
	if a.row >= 0 {
		height = b.size[a.row]
	}

	rows, cols := w.engine.blockSize(height, width)
	if w.fused != nil {
		cols = min(width, w.machine.BlockElems())
	}

	indexes := a.nest.Strides[a.index]
	for row := 0; row < height; row += rows {
		for col := 0; col < width; col += cols {
			n, m := min(rows, height-row), min(cols, width-col)
			part := block{rows: n, cols: m, width: m, index: index + col*indexes[a.col], indexCol: indexes[a.col]}

			to := first + col*b.stride[a.col]
			if a.row >= 0 {
				part.index += row * indexes[a.row]
				part.indexRow = indexes[a.row]
				to += row * b.stride[a.row]
			}

			w.reduce(to, part)
			w.move(a.col, m)
		}

		w.move(a.col, -width)
		if a.row >= 0 {
			w.move(a.row, min(rows, height-row))
		}
	}

	if a.row >= 0 {
		w.move(a.row, -height)
	}
}

// blockSize returns the rows and columns of the blocks of a rectangle.
func (e *Engine) blockSize(height, width int) (rows, cols int) {
	a := e.axes
	switch {
	case a.row < 0:
		return 1, min(width, e.block/e.sparse)
	case a.row == a.col-1 && a.crossed():
		cols = min(width, tileSide, e.block)
		return max(1, min(height, tileSide, e.block/cols)), cols
	case e.tall && a.kept[a.col] && a.nest.Sizes[a.col] >= narrow:
		rows = min(height, tallRows)
		if e.direct {
			return rows, min(width, tallCols)
		}
		rows = min(rows, max(1, e.block/narrow))
		return rows, min(width, max(1, e.block/rows))
	case e.direct && a.kept[a.col] && a.nest.Sizes[a.col] >= narrow:
		cols = min(width, stripCols)
		return max(1, min(height, e.block/cols)), cols
	}

	cols = min(width, e.block)
	return max(1, min(height, e.block/cols)), cols
}

// reduce takes the elements of one block, at w.at, into the results from number first on.
func (w *worker) reduce(first int, b block) {
	a := w.engine.axes
	if w.fused != nil {
		whole := w.takeLanes(first, b.cols)
		if b.cols -= whole; b.cols == 0 {
			return
		}
		w.move(a.col, whole)
		defer w.move(a.col, -whole)
	}

	find := w.elements(b.rows, b.cols)

	for i, z := range w.engine.reducers {
		part := b
		part.ptr, part.stride = find(z.Value)
		if z.Mask >= 0 {
			part.mask, part.maskStride = find(z.Mask)
		}

		part = z.prepared(&w.scratch, part)
		if s := w.engine.sparse; s > 1 {
			part.cols = (part.cols-1)*s + 1
			part.width = part.cols
		}

		switch {
		case !a.kept[a.col] && a.unit < 0:
			w.lanes(i, first, 1, z.lanes, &part)
		case !a.kept[a.col]:
			w.add(z, w.states[i], first, w.transposed(z, part))
		case a.nest.Sizes[a.col] < narrow && part.rows > 1 && z.lanes > 1 && part.stride == part.cols*z.size && w.box.size[a.col] == part.cols:
			w.lanes(i, first, part.cols, rowsAsOne(part.cols), &part)
		default:
			w.add(z, w.states[i], first, part)
		}
	}
}

// add takes the elements of a block into results. The block has its place in the worker, as it
// would need one in memory otherwise.
func (w *worker) add(z *reducer, s *state, first int, b block) {
	w.adding = b
	z.add(&w.scratch, s, first, &w.adding)
}

// rowsAsOne returns how many rows of few columns are made one: a power of two.
func rowsAsOne(cols int) int {
	rows := 1
	for rows*cols < wideCols || rows*cols%vectorCols != 0 {
		rows *= 2
	}
	return rows
}

// transposed returns b with its rows as columns.
func (w *worker) transposed(z *reducer, b block) block {
	t := b
	t.rows, t.cols = b.cols, b.rows
	t.index, t.indexRow, t.indexCol, t.width = b.index, b.indexCol, 0, t.cols
	t.ptr, t.stride = w.scratch.get(useTransposed, b.rows*b.cols*z.size), t.cols*z.size
	transpose.Matrix(t.ptr, b.ptr, b.rows, b.cols, t.stride, b.stride, z.size)
	if b.mask != nil {
		t.mask, t.maskStride = w.scratch.get(useTransposedMask, b.rows*b.cols), t.cols
		transpose.Matrix(t.mask, b.mask, b.rows, b.cols, t.maskStride, b.maskStride, 1)
	}
	return t
}

// lanes takes the elements of a block, whose rows lie one after another, into several lanes for
// each of count results, which are merged by flush.
func (w *worker) lanes(i, first, count, lanes int, b *block) {
	z, wide := w.engine.reducers[i], w.opened(i, first, count, lanes)
	n, cols := b.rows*b.cols, lanes*count
	whole := n / cols
	if whole > 0 {
		w.add(z, wide.state, 0, b.folded(0, whole, cols, z.size))
	}
	if rest := n % cols; rest > 0 {
		w.add(z, wide.state, 0, b.folded(whole*cols, 1, rest, z.size))
	}
}

// opened returns the lanes of some results, after those of others have been flushed.
func (w *worker) opened(i, first, count, lanes int) *wide {
	wide := &w.wide[i]
	if wide.lanes == 0 || wide.first != first || wide.count != count {
		w.flushOne(i)
		w.open(wide, w.engine.reducers[i], first, count, lanes)
	}
	return wide
}

// open makes wide ready for some results.
func (w *worker) open(wide *wide, z *reducer, first, count, lanes int) {
	if wide.state == nil {
		wide.state = z.newState(max(z.lanes*w.engine.turnedCols(), narrow*vectorCols, 2*wideCols))
	}
	wide.first, wide.count, wide.lanes = first, count, lanes
	z.reset(wide.state, lanes*count)
}

// flush merges what is in lanes into the results.
func (w *worker) flush() {
	for i := range w.wide {
		w.flushOne(i)
	}
}

func (w *worker) flushOne(i int) {
	z, wide := w.engine.reducers[i], &w.wide[i]
	if wide.lanes == 0 {
		return
	}
	for half := wide.lanes / 2; half >= w.sparse; half /= 2 {
		z.merge(wide.state, 0, wide.state, half*wide.count, half*wide.count)
	}
	wide.lanes = 0
	if len(w.runs) > 0 {
		w.mergeRuns(i)
		return
	}
	z.merge(w.states[i], wide.first, wide.state, 0, wide.count)
}

// evaluated returns what finds elements by running the program.
func (e *Engine) evaluated(w *worker) func(rows, cols int) func(int) (unsafe.Pointer, int) {
	rows, cols := 0, 0
	find := func(output int) (unsafe.Pointer, int) {
		size, u := 1, useExpandedMask
		for _, z := range e.reducers {
			if z.Value == output {
				size, u = register(z.Type).Size(), useExpanded
			}
		}

		ptr, scalar := w.machine.Out(output)
		if scalar {
			expanded := w.scratch.get(u, rows*cols*size)
			kernel.Gather(expanded, ptr, size, 0, rows*cols)
			ptr = expanded
		}
		return ptr, cols * size
	}

	return func(r, c int) func(int) (unsafe.Pointer, int) {
		rows, cols = r, c
		w.machine.Eval(w.at, rows, cols)
		return find
	}
}

// lying returns what finds elements in the only input.
func (e *Engine) lying(w *worker) func(rows, cols int) func(int) (unsafe.Pointer, int) {
	find := func(int) (unsafe.Pointer, int) {
		stride := 0
		if e.axes.row >= 0 {
			stride = e.axes.nest.Strides[0][e.axes.row]
		}
		return unsafe.Add(w.inputs[0].Base, w.at[0]), stride
	}
	return func(int, int) func(int) (unsafe.Pointer, int) { return find }
}
