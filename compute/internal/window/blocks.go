package window

import (
	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/exec"
)

// moveBlocks cuts the windows along an axis into blocks that are computed at once: some windows of
// a lane, of lanes side by side, or all windows of lanes that follow one another. Blocks depend on
// the shape and the layout alone.
type moveBlocks struct {
	outer, length, inner int // elements before the axis, along it and behind it
	width                int

	cols  int // lanes side by side of a block
	rows  int // windows of a block along a lane
	lanes int // of a block, one after the other; those of more than one lie whole in a block

	inPlace bool // whether blocks are computed where they are

	tiles  int // blocks side by side
	bands  int // blocks along a lane
	blocks int
	group  int // blocks of a chunk
}

const (
	moveElems = 4096
	moveMost  = 64 << 10  // elements of a block up to which blocks are made longer for wide windows
	moveChunk = 256 << 10 // elements of a chunk, about
	moveCols  = 512       // lanes side by side of a block, at most
	moveFew   = 32        // lanes side by side of a block of wide windows, if there are that many

	moveBeside = 1024     // lanes side by side of a block whose windows are computed in one go, about
	moveWorth  = 16       // times the width that such blocks are long
	moveFair   = 32       // such blocks of an array, if windows are narrow enough
	moveNear   = 8 << 20  // elements from the first to the last one of a block, so that they come into memory together
	moveFar    = 64 << 20 // the same for wide windows
)

// newMoveBlocks returns the blocks of an array, which are not cut yet.
func newMoveBlocks(shape []int, axis, width int) *moveBlocks {
	b := &moveBlocks{outer: 1, length: shape[axis], inner: 1, width: width, lanes: 1}
	for _, n := range shape[:axis] {
		b.outer *= n
	}
	for _, n := range shape[axis+1:] {
		b.inner *= n
	}
	return b
}

// cut chooses the blocks. gathered says that the elements are not packed. inPlace says that
// elements are read and results written where they belong, all windows in one go.
func (b *moveBlocks) cut(gathered, inPlace bool) {
	elems := moveElems
	if gathered {
		elems = bulk.LaneChunk
	}

	b.inPlace = inPlace
	if inPlace {
		b.long()
	} else {
		b.short(elems)
	}

	windows := b.length - b.width + 1
	b.rows = min(b.rows, windows)
	b.bands = (windows + b.rows - 1) / b.rows

	// If a whole lane fits in a block, the block takes several lanes.
	if b.bands == 1 && b.tiles == 1 {
		b.lanes = max(1, elems/(b.length*b.inner))
		if gathered {
			b.lanes = max(b.lanes, bulk.FewLanes)
		}
		b.lanes = min(b.lanes, b.outer)
	}

	b.blocks = (b.outer + b.lanes - 1) / b.lanes * b.bands * b.tiles
}

// short chooses blocks that stay in a cache, of about elems elements if windows are narrow.
func (b *moveBlocks) short(elems int) {
	b.cols = b.inner
	if b.inner > moveCols {
		b.cols = min(max(moveMost/(5*b.width), moveFew), moveCols)
	}
	b.tiles = (b.inner + b.cols - 1) / b.cols
	b.rows = max(elems/b.cols, min(4*b.width, moveMost/b.cols), b.width)
}

// long chooses blocks so that little is read twice, and all workers have some. The last of blocks
// side by side has the lanes left over.
func (b *moveBlocks) long() {
	b.cols = min(b.inner, moveBeside)
	b.tiles = b.inner / b.cols
	far := moveNear / b.inner
	if far < 4*b.width {
		far = max(2*b.width, moveFar/b.inner)
	}
	fair := max(2*b.width, moveElems/b.cols, b.length*b.outer*b.tiles/moveFair)
	b.rows = min(max(moveWorth*b.width, moveChunk/b.cols), fair, far)
}

// elems returns the number of elements that a block is computed of, at most.
func (b *moveBlocks) elems() int {
	if b.lanes > 1 {
		return b.lanes * b.length * b.inner
	}
	return (b.rows + b.width - 1) * b.cols
}

// share chooses the chunks, as many as workers find work.
func (b *moveBlocks) share(op Op, workers int) {
	most := max(1, moveChunk/b.elems())
	if op == Median {
		most = max(1, most/16)
	}
	b.group = exec.ChunkSize(b.blocks, 1, most, workers)
}

func (b *moveBlocks) chunks() int { return (b.blocks + b.group - 1) / b.group }

// A moveBlock is rows windows along each of cols lanes.
type moveBlock struct {
	first      int // number of its first element
	rows, cols int
	lanes      int
	start      bool // whether its lanes start here
}

// at returns a block. Where it has several lanes, windows from one into the next are among its
// rows.
func (b *moveBlocks) at(i int) moveBlock {
	tile, band, outer := i%b.tiles, i/b.tiles%b.bands, i/(b.tiles*b.bands)*b.lanes
	lanes := min(b.lanes, b.outer-outer)
	row, col := band*b.rows, tile*b.cols
	rows := min(b.rows, b.length-b.width+1-row)
	if lanes > 1 {
		rows = lanes*b.length - b.width + 1
	}
	cols := b.cols
	if tile == b.tiles-1 {
		cols = b.inner - col
	}
	return moveBlock{
		first: (outer*b.length+row)*b.inner + col,
		rows:  rows, cols: cols, lanes: lanes, start: band == 0,
	}
}

// extent returns the elements that the windows of a chunk are computed of, and those between them.
func (b *moveBlocks) extent(chunk int) (first, n int) {
	last := b.at(min((chunk+1)*b.group, b.blocks) - 1)
	first = b.at(chunk * b.group).first
	return first, last.first + (last.rows+b.width-2)*b.inner + last.cols - first
}
