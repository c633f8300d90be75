package reduce

import (
	"slices"
	"unsafe"
)

const (
	// turnedBytes is the wanted length in a chunk of each run of an input that is walked along its
	// runs.
	turnedBytes = 4 << 10
	// minTurned is the length in bytes of such runs below which the input is packed.
	minTurned = 128
	// fewTurned is the number of chunks that there should be along the runs.
	fewTurned = 8
	// maxTurned is the number of reductions above which the input is packed: each goes through the
	// runs by itself.
	maxTurned = 3
)

// turn swaps the reduced axis of blocks for the axis along which the input lies in runs, if that is
// better, and reports whether it did. The lanes of each run of elements stay the same.
func (e *Engine) turn() bool {
	a := e.axes
	if !e.direct || a.kept[a.col] || !a.isRun(0) || a.shortest(0) < 0 || !e.turns() {
		return false
	}
	near := &a.dims[a.shortest(0)]
	size := a.nest.ElemSizes[0]
	if near.axis == a.col || a.nest.Strides[0][near.axis] != size || a.row >= 0 && !a.kept[a.row] {
		return false
	}

	// Chunks take more of each run: more results, or more parts, whose rows come one after another.
	run := min(turnedBytes/size, (near.size+fewTurned-1)/fewTurned)
	tile, batch := near.tile, 1
	switch {
	case !e.rowsApart(near.axis) || !near.kept && (a.row >= 0 || near.size != a.nest.Sizes[near.axis]):
		return false
	case !near.kept:
		batch = max(1, min(a.tiles[near.axis], run/tile))
	case near.outer:
		tile = max(tile, min(run, tile*maxOutputs/a.maxBoxOutputs()))
	}
	if tile*batch*size < minTurned {
		return false
	}

	e.turnedLanes = a.row < 0
	a.row = near.axis
	if near.kept {
		a.unit = near.axis
	}
	near.tile, a.tile[near.axis] = tile, tile*near.inner
	a.count()
	a.batch[near.axis] = batch
	return true
}

// rowsApart reports whether the runs of elements of a part are reduced each by itself, and in their
// order, where those with different indexes of an axis are gone through together.
func (e *Engine) rowsApart(axis int) bool {
	a := e.axes
	several, others := !a.kept[axis] && a.tile[axis] > 1, false
	for other, kept := range a.kept {
		others = others || !kept && other != a.col && other != axis && a.tile[other] > 1
	}
	if a.rows && slices.ContainsFunc(e.reducers, (*reducer).goesOn) {
		return !several && !others
	}
	return !several || !others
}

// turnedCols returns the largest number of results that have lanes at once if blocks are gone
// through along runs, else 1.
func (e *Engine) turnedCols() int {
	if !e.turned {
		return 1
	}
	return e.axes.tile[e.axes.row] * e.axes.batch[e.axes.row]
}

// turns reports whether all reductions can go through an input along its runs, as far as addresses
// and operations go.
func (e *Engine) turns() bool {
	if len(e.reducers) > maxTurned || !e.aligned() {
		return false
	}
	for _, z := range e.reducers {
		switch z.Op {
		case LogSumExp:
			return false // exp takes more time than memory
		case Var, Std:
			if len(z.steps) > 0 {
				return false // blocks of all rows have no room in the caches once more
			}
		}
	}
	return true
}

// turnedChunk reduces all parts of the chunk at once, or its only one.
func (w *worker) turnedChunk() error {
	if w.engine.axes.kept[w.engine.axes.row] {
		return w.part(0)
	}

	for range w.box.parts {
		w.runs = append(w.runs, w.fresh())
	}

	w.walk(0, 0, w.start())
	runs := w.runs
	w.runs = w.runs[:0]

	for part, states := range runs {
		w.engine.axes.locatePart(part, &w.box)
		if err := w.done(&w.box, states); err != nil {
			return err
		}
	}
	return nil
}

// mergeRuns merges the results of a reduction for each column of blocks, which is a run of its own,
// into those of its part.
func (w *worker) mergeRuns(i int) {
	a, wide := w.engine.axes, &w.wide[i]
	for run := range wide.count {
		w.engine.reducers[i].merge(w.runs[run/a.tile[a.row]][i], wide.first, wide.state, run, 1)
	}
}

// turned goes through the rows and columns at one place of the other axes, along the rows.
func (w *worker) turned(first, index int) {
	a, b := w.engine.axes, &w.box
	strides, indexes := a.nest.Strides[0], a.nest.Strides[a.index]
	width := b.size[a.col]
	cols := min(width, w.engine.block)

	for col := 0; col < width; col += cols {
		part := block{
			ptr: unsafe.Add(w.inputs[0].Base, w.at[0]), stride: strides[a.col],
			rows: min(cols, width-col), cols: b.size[a.row], width: b.size[a.row],
			index: index + col*indexes[a.col], indexRow: indexes[a.col], indexCol: indexes[a.row],
		}
		for i := range w.engine.reducers {
			w.takeTurned(i, first, &part)
		}
		w.move(a.col, part.rows)
	}

	w.move(a.col, -width)
	w.flush()
}

// takeTurned takes the rows of b, which are columns of the walk, into as many results as b has
// columns.
func (w *worker) takeTurned(i, first int, b *block) {
	z := w.engine.reducers[i]
	if !w.engine.turnedLanes {
		w.addTurned(z, w.states[i], first, b)
		return
	}
	s := w.opened(i, first, b.cols, z.lanes).state
	whole := b.rows / z.lanes
	for lane := range min(b.rows, z.lanes) {
		part := b.every(lane, z.lanes, whole)
		w.addTurned(z, s, lane*b.cols, &part)
		if rest := whole*z.lanes + lane; rest < b.rows {
			part = b.every(rest, z.lanes, 1)
			w.addTurned(z, s, lane*b.cols, &part)
		}
	}
}

// addTurned adds b. It takes a few rows at a time if they must be converted first.
func (w *worker) addTurned(z *reducer, s *state, first int, b *block) {
	step := b.rows
	if len(z.steps) > 0 {
		step = apartRows
	}
	for row := 0; row < b.rows; row += step {
		w.add(z, s, first, z.prepared(&w.scratch, b.part(row, min(step, b.rows-row))))
	}
}
