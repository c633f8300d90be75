package reduce

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/plan"
)

const (
	// chunkBytes is how much of its inputs a chunk reads; less where there would be few chunks.
	chunkBytes    = 4 << 20
	minChunkBytes = 256 << 10
	fewChunks     = 16

	// chunkElems is how many elements a chunk has at most if the order of elements counts; less
	// where there would be few chunks.
	chunkElems    = 512 << 10
	minChunkElems = 64 << 10

	// leafElems is how many elements of one result are reduced together at most if the order of
	// elements counts; less where that would be few parts.
	leafElems    = 32 << 10
	minLeafElems = 8 << 10

	// leafOfRows is leafElems where rows are taken one by one, if there are at least manyChunks of
	// them.
	leafOfRows = 128 << 10
	manyChunks = 64

	// maxOutputs bounds the results that a chunk has a part of, and so the size of states that wait
	// for others.
	maxOutputs = 64 << 10

	// maxWaiting bounds the results that have parts waiting while chunks follow the order of
	// memory. With more results, all parts of some come before those of the next.
	maxWaiting = 256 << 10

	// shortRow is the number of elements below which rows that go to one result each are
	// transposed, so that they become columns.
	shortRow = 1024
)

// axes is the walk over the elements: a nest whose axes are kept or reduced, cut into tiles. A part
// is one tile of each axis, and a chunk a box of parts.
type axes struct {
	nest  plan.Nest
	kept  []bool
	tile  []int // size of the tiles of each axis, but for the last ones
	tiles []int // number of tiles
	batch []int // tiles of each axis that a chunk has, but for the last ones; 1 of the kept axes
	order []int // of the axes from the outermost to the innermost, as chunks follow each other
	out   int   // the operand that counts results, in elements
	index int   // the operand that counts reduced elements in C order
	dims  []dim // of the shape, if elements are taken in C order
	rows  bool  // whether the last two of these are reduced, and rows taken one by one

	col, row int // axes that are the columns and the rows of blocks; row is -1 if there is none
	unit     int // the kept axis whose results lie side by side in a state; -1 if there is none

	groups, parts int // parts that work on the same results are a group
}

// newAxes plans the walk over shape, reducing some axes of inputs, in the order of memory.
func newAxes(shape []int, reduced []int, inputs []plan.Operand) *axes {
	operands := withCounts(shape, reduced, inputs)
	lead := 0
	if len(inputs) == 0 {
		lead = -1
	}
	a := &axes{nest: plan.New(shape, operands, lead), out: len(inputs), index: len(inputs) + 1}
	a.kept = make([]bool, len(a.nest.Sizes))
	for axis := range a.kept {
		a.kept[axis] = a.nest.Strides[a.out][axis] != 0 && len(shape) > len(reduced)
	}
	a.cut()
	a.count()
	a.assign()
	a.follow(nil)
	return a
}

// withCounts returns the inputs, and two operands that count results, and the elements reduced to
// each of them.
func withCounts(shape []int, reduced []int, inputs []plan.Operand) []plan.Operand {
	outStrides, indexStrides := make([]int, len(shape)), make([]int, len(shape))
	outs, indexes := 1, 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		if slices.Contains(reduced, axis) {
			indexStrides[axis] = indexes
			indexes *= shape[axis]
		} else {
			outStrides[axis] = outs
			outs *= shape[axis]
		}
	}
	return append(slices.Clone(inputs), plan.Operand{Strides: outStrides, ElemSize: 1}, plan.Operand{Strides: indexStrides, ElemSize: 1})
}

// cut chooses the tiles: from the innermost axis outwards, whole axes while a chunk has room for
// them.
func (a *axes) cut() {
	n := len(a.nest.Sizes)
	a.tile = make([]int, n)

	elemBytes := 0
	for k, size := range a.nest.ElemSizes[:a.out] {
		if slices.ContainsFunc(a.nest.Strides[k], func(s int) bool { return s != 0 }) {
			elemBytes += size
		}
	}
	elemBytes = max(elemBytes, 1)

	room := max(1, min(chunkBytes, max(minChunkBytes, a.nest.NumElems()/fewChunks*elemBytes))/elemBytes)

	outputs := maxOutputs
	for axis := n - 1; axis >= 0; axis-- {
		size := a.nest.Sizes[axis]
		tile := min(size, room)
		if a.kept[axis] {
			tile = min(tile, outputs)
			outputs = max(1, outputs/max(tile, 1))
		}

		tile = max(tile, 1)
		a.tile[axis] = tile
		room = max(1, room/tile)
	}
}

// count counts the tiles, and the parts and groups that they make.
func (a *axes) count() {
	a.groups, a.parts = 1, 1
	a.tiles, a.batch = make([]int, len(a.tile)), slices.Repeat([]int{1}, len(a.tile))
	for axis, tile := range a.tile {
		a.tiles[axis] = (a.nest.Sizes[axis] + tile - 1) / tile
		if a.kept[axis] {
			a.groups *= a.tiles[axis]
		} else {
			a.parts *= a.tiles[axis]
		}
	}
}

// follow chooses the order of chunks: the axis with the longest stride outside, or the order of the
// axes if strides is nil. With many results, all parts of some come before those of the next.
func (a *axes) follow(strides []int) {
	a.order = make([]int, len(a.tile))
	for axis := range a.order {
		a.order[axis] = axis
	}
	if strides != nil {
		slices.SortStableFunc(a.order, func(i, j int) int { return magnitude(strides[j]) - magnitude(strides[i]) })
	}
	if a.parts > 1 && a.numOutputs() > maxWaiting {
		slices.SortStableFunc(a.order, func(i, j int) int { return btoi(a.kept[j]) - btoi(a.kept[i]) })
	}
}

func magnitude(stride int) int { return max(stride, -stride) }

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// numOutputs returns the number of results.
func (a *axes) numOutputs() int {
	n := 1
	for axis, size := range a.nest.Sizes {
		if a.kept[axis] {
			n *= size
		}
	}
	return n
}

// assign chooses the axes of blocks.
func (a *axes) assign() {
	a.col, a.row, a.unit = len(a.kept)-1, -1, -1
	if a.kept[a.col] {
		a.unit = a.col
		for axis, kept := range a.kept {
			if !kept {
				a.row = axis
			}
		}
		return
	}

	if a.col > 0 && (a.nest.Sizes[a.col] < shortRow || a.crossed()) {
		a.row = a.col - 1
		if a.kept[a.row] {
			a.unit = a.row
		}
	}
}

// crossed reports whether an input is contiguous along the rows of blocks and not along the
// columns, so that small rectangles are better than long rows.
func (a *axes) crossed() bool {
	if a.dims != nil {
		return false
	}
	for k, strides := range a.nest.Strides[:a.out] {
		size := a.nest.ElemSizes[k]
		if s := strides[a.col]; s != 0 && s != size && s != -size && strides[a.col-1] == size {
			return true
		}
	}
	return false
}

// ordered reports whether the elements of each result come in the order of their indexes.
func (a *axes) ordered() bool {
	inner := 0
	for axis := len(a.kept) - 1; axis >= 0; axis-- {
		if a.kept[axis] || a.nest.Sizes[axis] == 1 {
			continue
		}
		s := a.nest.Strides[a.index][axis]
		if s <= inner {
			return false
		}
		inner += s * (a.nest.Sizes[axis] - 1)
	}
	return true
}

// A box is a chunk, or one of its parts: a range of each axis.
type box struct {
	group, part int
	low, size   []int
	outputs     int   // results that it has a part of
	stride      []int // results from one index of a kept axis to the next
	first       []int // tiles of the chunk
	count       []int // how many there are
	parts       int   // of the chunk
}

// numChunks returns the number of chunks.
func (a *axes) numChunks() int {
	n := 1
	for axis, tiles := range a.tiles {
		n *= a.chunksOf(axis, tiles)
	}
	return n
}

func (a *axes) chunksOf(axis, tiles int) int { return (tiles + a.batch[axis] - 1) / a.batch[axis] }

// locate sets b to a chunk.
func (a *axes) locate(chunk int, b *box) {
	if b.low == nil {
		n := len(a.kept)
		b.low, b.size, b.stride, b.first, b.count = make([]int, n), make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	}
	b.parts = 1
	for _, axis := range slices.Backward(a.order) {
		n := a.chunksOf(axis, a.tiles[axis])
		b.first[axis] = chunk % n * a.batch[axis]
		chunk /= n
		b.count[axis] = min(a.batch[axis], a.tiles[axis]-b.first[axis])
		b.parts *= b.count[axis]
		b.low[axis] = b.first[axis] * a.tile[axis]
		b.size[axis] = min(b.count[axis]*a.tile[axis], a.nest.Sizes[axis]-b.low[axis])
	}
	a.number(b)
}

// locatePart sets b, which is a chunk or a part of it, to one of the parts of the chunk.
func (a *axes) locatePart(part int, b *box) {
	for axis, n := range slices.Backward(b.count) {
		b.low[axis] = b.first[axis] + part%n
		part /= n
	}
	b.group, b.part = 0, 0
	for axis, kept := range a.kept {
		if kept {
			b.group = b.group*a.tiles[axis] + b.low[axis]
		} else {
			b.part = b.part*a.tiles[axis] + b.low[axis]
		}
		b.low[axis] *= a.tile[axis]
		b.size[axis] = min(a.tile[axis], a.nest.Sizes[axis]-b.low[axis])
	}
}

// number gives the results of b their places in a state: those along unit side by side.
func (a *axes) number(b *box) {
	b.outputs = 1
	if a.unit >= 0 {
		b.stride[a.unit], b.outputs = 1, b.size[a.unit]
	}
	for axis := len(a.kept) - 1; axis >= 0; axis-- {
		switch {
		case axis == a.unit:
		case a.kept[axis]:
			b.stride[axis] = b.outputs
			b.outputs *= b.size[axis]
		default:
			b.stride[axis] = 0
		}
	}
}

// maxBoxOutputs returns the largest number of results that a chunk has a part of.
func (a *axes) maxBoxOutputs() int {
	n := 1
	for axis, tile := range a.tile {
		if a.kept[axis] {
			n *= tile
		}
	}
	return n
}
