package reduce

// perLane reports whether accumulators are many: those of results, or of rows that are lanes.
func (e *Engine) perLane() bool {
	a := e.axes
	return a.kept[a.col] || a.unit >= 0 && !e.turnedLanes
}

// isNarrow reports whether results are so few columns that several rows are made one.
func (e *Engine) isNarrow() bool {
	a := e.axes
	return a.kept[a.col] && a.row >= 0 && a.nest.Sizes[a.col] < narrow
}

// sides returns the axes whose elements are the rows and the columns of segments; rows are -1 if
// there is one.
func (e *Engine) sides() (rows, cols int) {
	a := e.axes
	switch {
	case e.turned && e.turnedLanes:
		return -1, a.col
	case a.row >= 0 && e.perLane() && !a.kept[a.col]:
		return a.col, a.row
	}
	return a.row, a.col
}

// leastCols is how many columns a Folder must have room for, if there are as many.
const leastCols = 1024

// leastRoom returns how many elements, and lanes, a Folder must have room for.
func (e *Engine) leastRoom() int {
	a := e.axes
	switch {
	case e.isNarrow() || a.row >= 0 && !e.perLane() && !e.turned:
		return max(min(e.block, a.tile[a.row]*a.tile[a.col]), narrow*vectorCols)
	case !e.perLane():
		return e.mostLanes()
	case a.kept[a.col]:
		return min(a.tile[a.col], leastCols)
	}
	return min(a.tile[a.row], leastCols)
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
func (p *packer) rectangle(first int) {
	e, a := p.engine, p.engine.axes
	switch {
	case p.err != nil:
		return
	case e.turned && e.turnedLanes:
		p.turnedRows(first)
	case a.row < 0 && !a.kept[a.col]:
		p.row(p.states, first)
	case !a.kept[a.col] && a.unit < 0:
		p.blocks(first)
	case !a.kept[a.col]:
		p.columns(first, a.col, a.row)
	case e.isNarrow():
		p.blocks(first)
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
		n := p.reserve(left, unit, 0)
		if p.err != nil {
			return
		}
		p.add(p.lanesBox(states, first, 1, ownLanes), -1, 1, a.col, n)
		p.move(a.col, n)
		left -= n
	}
	p.move(a.col, -width)
}

// columns packs rows along one axis, whose elements go to a result for each column, as many columns
// at a time as there is room for.
func (p *packer) columns(first, rowAxis, colAxis int) {
	width := p.box.size[colAxis]
	cols := min(width, p.room.Elems, p.room.Lanes)
	for col := 0; col < width; col += cols {
		n := min(cols, width-col)
		p.strip(first+col, rowAxis, colAxis, n)
		p.move(colAxis, n)
	}
	p.move(colAxis, -width)
}

// strip packs rows of some columns.
func (p *packer) strip(first, rowAxis, colAxis, cols int) {
	if rowAxis < 0 {
		if p.reserve(cols, cols, cols); p.err == nil {
			p.add(p.resultBox(p.states, first, cols), rowAxis, 1, colAxis, cols)
		}
		return
	}
	rows := p.box.size[rowAxis]
	for left := rows; left > 0; {
		n := p.reserve(left*cols, cols, cols) / cols
		if p.err != nil {
			return
		}
		p.add(p.resultBox(p.states, first, cols), rowAxis, n, colAxis, cols)
		p.move(rowAxis, n)
		left -= n
	}
	p.move(rowAxis, -rows)
}

// blocks packs the blocks of the rows and columns as the CPU has them: each begins with the first of
// the lanes.
func (p *packer) blocks(first int) {
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

// singleRow takes a row to the results, which must have what was merged into them before, and all of
// it before more is merged.
func (p *packer) singleRow(first, cols int) {
	p.settle()
	switch {
	case p.err != nil:
	case p.lies == nil:
		p.reduce(first, block{rows: 1, cols: cols, width: cols})
	default:
		p.add(p.resultBox(p.states, first, cols), -1, 1, p.engine.axes.col, cols)
		p.settle()
	}
}

// block packs one block.
func (p *packer) block(first, rows, cols int) {
	a := p.engine.axes
	count, lanes := 1, ownLanes
	if a.kept[a.col] {
		count, lanes = cols, rowsAsOne(cols)
	}

	if a.kept[a.col] && rows == 1 {
		p.singleRow(first, cols)
		return
	}
	if p.reserve(rows*cols, rows*cols, count*lanes); p.err == nil {
		p.add(p.lanesBox(p.states, first, count, lanes), a.row, rows, a.col, cols)
	}
}
