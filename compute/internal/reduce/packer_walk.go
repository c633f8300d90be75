package reduce

// perLane reports whether accumulators are many: those of results, or of rows that are lanes.
func (e *Engine) perLane() bool {
	a := e.axes
	return a.kept[a.col] || a.unit >= 0 && !e.turnedLanes
}

// foldLanes returns how many accumulators reduction i has in a box at most.
func (e *Engine) foldLanes(i int) int {
	a := e.axes
	switch {
	case !e.perLane():
		return e.reducers[i].lanes
	case e.isNarrow():
		return max(2*wideCols, vectorCols*a.tile[a.col]) // see rowsAsOne
	case a.kept[a.col]:
		return a.tile[a.col]
	}
	return a.tile[a.row]
}

// isNarrow reports whether results are so few columns that several rows are made one.
func (e *Engine) isNarrow() bool {
	a := e.axes
	return a.kept[a.col] && a.row >= 0 && a.nest.Sizes[a.col] < narrow
}

// leastRoom returns how many elements a Folder must have room for.
func (e *Engine) leastRoom() int {
	a := e.axes
	switch {
	case e.isNarrow() || a.row >= 0 && !e.perLane():
		return max(e.block, e.mostLanes())
	case !e.perLane():
		return e.mostLanes()
	case a.kept[a.col]:
		return a.tile[a.col]
	}
	return a.tile[a.row]
}

// mostLanes returns the most lanes that a reduction has: a multiple of those of the others.
func (e *Engine) mostLanes() int {
	most := 1
	for _, z := range e.reducers {
		most = max(most, z.lanes)
	}
	return most
}

// rectangle packs the elements of the rows and columns at one place of the other axes. What goes to
// one accumulator, and in which order, is as with worker.rectangle.
func (p *packer) rectangle(first, index int) {
	e, a := p.engine, p.engine.axes
	switch {
	case p.err != nil:
		return
	case e.turned && e.turnedLanes:
		p.turnedRows(first)
	case a.row < 0 && !a.kept[a.col]:
		p.row(p.states, first)
	case !a.kept[a.col] && a.unit < 0:
		p.blocks(first, index)
	case !a.kept[a.col]:
		p.columns(first, a.col, a.row)
	case e.isNarrow():
		p.blocks(first, index)
	default:
		p.columns(first, a.row, a.col)
	}
	if a.dims != nil && a.row < 0 {
		p.close() // as the lanes of each run are those of no other
	}
}

// turnedRows packs the rows of the walk along the other axis, each of which has lanes.
func (p *packer) turnedRows(first int) {
	a := p.engine.axes
	height := p.box.size[a.row]
	for row := range height {
		states, to := p.states, first+row
		if !a.kept[a.row] {
			states, to = p.parts[row/a.tile[a.row]], first
		}
		p.row(states, to)
		p.close()
		p.move(a.row, 1)
	}
	p.move(a.row, -height)
}

// row packs the elements along the columns, which go to the lanes of one result.
func (p *packer) row(states []*state, first int) {
	a := p.engine.axes
	width, unit := p.box.size[a.col], p.engine.mostLanes()
	for left := width; left > 0; {
		n := p.reserve(left, unit)
		if p.err != nil {
			return
		}
		p.add(p.lanesBox(states, first, 1, 0), -1, 1, a.col, n)
		p.move(a.col, n)
		left -= n
	}
	p.move(a.col, -width)
}

// columns packs rows along one axis, whose elements go to a result for each column.
func (p *packer) columns(first, rowAxis, colAxis int) {
	cols, rows := p.box.size[colAxis], 1
	if rowAxis >= 0 {
		rows = p.box.size[rowAxis]
	}
	p.sameCount(cols)
	for left := rows; left > 0; {
		n := p.reserve(left*cols, cols) / cols
		if p.err != nil {
			return
		}
		p.add(p.resultBox(p.states, first, cols), rowAxis, n, colAxis, cols)
		if rowAxis >= 0 {
			p.move(rowAxis, n)
		}
		left -= n
	}
	if rowAxis >= 0 {
		p.move(rowAxis, -rows)
	}
}

// sameCount settles boxes of another number of results: all that are folded together have as many
// lanes.
func (p *packer) sameCount(count int) {
	if len(p.boxes) > 0 && p.boxes[0].count != count {
		p.settle()
	}
}

// blocks packs the blocks of the rows and columns as the CPU has them: each begins with the first of
// the lanes.
func (p *packer) blocks(first, index int) {
	a, b := p.engine.axes, &p.box
	height, width := b.size[a.row], b.size[a.col]
	rows, cols := p.engine.blockSize(height, width)
	for row := 0; row < height; row += rows {
		n := min(rows, height-row)
		for col := 0; col < width; col += cols {
			m := min(cols, width-col)
			p.block(first+row*b.stride[a.row]+col*b.stride[a.col], n, m)
			if p.err != nil {
				return
			}
			p.move(a.col, m)
		}
		p.move(a.col, -width)
		p.move(a.row, n)
	}
	p.move(a.row, -height)
}

// block packs one block.
func (p *packer) block(first, rows, cols int) {
	a := p.engine.axes
	count, lanes := 1, 0
	if a.kept[a.col] {
		count, lanes = cols, rowsAsOne(cols)
	}
	if a.kept[a.col] && rows == 1 {
		// A single row goes to the results, to which these lanes come later.
		p.settle()
		if p.err == nil {
			p.reduce(first, block{rows: rows, cols: cols, width: cols})
		}
		return
	}
	p.sameCount(count)
	p.reserve(rows*cols, rows*cols)
	if p.err == nil {
		p.add(p.lanesBox(p.states, first, count, lanes), a.row, rows, a.col, cols)
	}
}
