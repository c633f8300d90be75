package pass

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/view"
)

// Tiles cut an array into boxes in which every operand has long runs, although operands lie in
// different orders. Tiles follow one another in C order of their boxes, so a band of them is done
// before the next band begins.
type tiles struct {
	bands boxes
	tile  []int // the length along each axis
}

// Of the memory limit, tiles take this part, but at least exec.MinChunkBytes, and never more than
// maxTileBytes: what is dirty at a time has a bound.
const (
	tileShare    = 2
	maxTileBytes = 512 << 20
)

// A laid operand is how the elements of a tensor lie in a file.
type laid struct {
	layout view.Layout
	size   int // bytes of an element
}

// scattered reports whether a box touches far more than it uses, and more than so many bytes.
func (o laid) scattered(box view.Index, most int64) bool {
	return graph.Scattered(o.layout, o.size, box, most)
}

// newTiles cuts an array into tiles whose elements take at most so many bytes in all operands
// together.
func newTiles(shape []int, operands []laid, most int64) tiles {
	t := tiles{tile: slices.Repeat([]int{1}, len(shape))}
	perElem := 0
	for _, o := range operands {
		perElem += o.size
	}
	for axis := shortest(shape, t.tile, operands); axis >= 0; axis = shortest(shape, t.tile, operands) {
		before := t.tile[axis]
		t.tile[axis] = min(2*before, shape[axis])
		if int64(graph.NumElems(t.tile))*int64(perElem) > most {
			t.tile[axis] = before
			break
		}
	}
	t.bands = newBands(shape, t.tile)
	return t
}

// shortest returns the axis along which tiles grow for the operand with the shortest runs to have
// longer ones, or -1.
func shortest(shape, tile []int, operands []laid) int {
	axis, least := -1, 0
	for _, o := range operands {
		if next, run := o.grows(shape, tile); next >= 0 && (axis < 0 || run < least) {
			axis, least = next, run
		}
	}
	return axis
}

// grows returns the axis along which the runs of a tile end, or -1, and the bytes of a run.
func (o laid) grows(shape, tile []int) (axis, run int) {
	run = o.size
	for _, axis := range slices.Backward(o.descending()) {
		run *= tile[axis]
		if tile[axis] < shape[axis] {
			return axis, run
		}
	}
	return -1, run
}

// descending returns the axes along which the elements differ, those with long strides first.
func (o laid) descending() []int {
	var axes []int
	for axis := range o.layout.Rank() {
		if o.layout.Stride(axis) != 0 {
			axes = append(axes, axis)
		}
	}
	length := func(axis int) int { return max(o.layout.Stride(axis), -o.layout.Stride(axis)) }
	slices.SortStableFunc(axes, func(a, b int) int { return length(b) - length(a) })
	return axes
}

// newBands returns the boxes whose tiles differ in no axis up to the first one along which tiles
// are longer than 1.
func newBands(shape, tile []int) boxes {
	b := boxes{shape: shape, step: tile[0], count: 1, elems: 1}
	for b.axis < len(shape)-1 && tile[b.axis] == 1 {
		b.count *= shape[b.axis]
		b.axis++
	}
	b.step = tile[b.axis]
	b.count *= (shape[b.axis] + b.step - 1) / b.step
	b.elems = b.step * graph.NumElems(shape[b.axis+1:])
	return b
}

// perBand returns the number of tiles of a band.
func (t tiles) perBand() int {
	n := 1
	for axis := t.bands.axis + 1; axis < len(t.tile); axis++ {
		n *= (t.bands.shape[axis] + t.tile[axis] - 1) / t.tile[axis]
	}
	return n
}

// at returns the index of a tile.
func (t tiles) at(i int) view.Index {
	lo, hi := t.bands.bounds(i / t.perBand())
	rest := i % t.perBand()
	for axis := len(t.tile) - 1; axis > t.bands.axis; axis-- {
		n := (t.bands.shape[axis] + t.tile[axis] - 1) / t.tile[axis]
		lo[axis] = rest % n * t.tile[axis]
		hi[axis] = min(lo[axis]+t.tile[axis], t.bands.shape[axis])
		rest /= n
	}
	ix := make(view.Index, len(lo))
	for axis := range ix {
		ix[axis] = view.Span(lo[axis], hi[axis])
	}
	return ix
}
