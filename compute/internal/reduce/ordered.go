package reduce

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/dtype"
)

// A dim is an axis of the shape with more than one element. Neighbours are one axis of the nest if
// the inner one is not cut.
type dim struct {
	size    int
	kept    bool
	tile    int
	axis    int   // of the nest
	inner   int   // indexes of that axis from one index of the dim to the next
	outer   bool  // whether it is the outermost of that axis
	strides []int // of each operand
}

// inAnyOrder reports whether the result of op on elements of type t is the same in whatever order
// they are taken.
func inAnyOrder(op Op, t dtype.Type) bool {
	switch op {
	case Any, All, CountNonzero, ArgMin, ArgMax:
		return true
	case Sum, Prod, SumAbs, Min, Max, FMin, FMax, MaxAbs, MinAbs:
		return t.Kind() != dtype.KindFloat && t.Kind() != dtype.KindComplex
	}
	return false
}

// newOrderedAxes plans the walk over shape so that the elements of each result are taken in the
// same order, and cut into the same parts, however the inputs lie: in C order. It returns nil if
// there are not two elements.
func newOrderedAxes(shape []int, reduced []int, inputs []plan.Operand) *axes {
	operands := withCounts(shape, reduced, inputs)
	a := &axes{out: len(inputs), index: len(inputs) + 1}

	for axis, size := range shape {
		switch size {
		case 0:
			return nil
		case 1:
			continue
		}
		d := dim{size: size, kept: !slices.Contains(reduced, axis), inner: 1, outer: true}
		for _, operand := range operands {
			d.strides = append(d.strides, operand.Strides[axis])
		}
		a.dims = append(a.dims, d)
	}

	if len(a.dims) == 0 {
		return nil
	}

	a.rows = wideRows(a.dims, inputs)
	cutDims(a.dims, a.rows)
	a.join(operands)
	a.count()
	a.assign()
	return a
}

// wideRowBytes is the length of rows from which each has lanes of its own.
const wideRowBytes = 32 << 10

// wideRows reports whether the last two of dims are reduced, and make rows so long that they are
// taken one by one. If their columns lie in runs instead, several rows are taken at a time.
func wideRows(dims []dim, inputs []plan.Operand) bool {
	n, size := len(dims), 1
	for _, in := range inputs {
		size = max(size, in.ElemSize)
	}
	return n > 1 && !dims[n-1].kept && !dims[n-2].kept && dims[n-1].size*size >= wideRowBytes
}

// cutDims chooses the tiles of the reduced axes first, and then those of the kept axes, which do
// not change results.
func cutDims(dims []dim, rows bool) {
	elems := 1
	for _, d := range dims {
		elems *= d.size
	}

	chunk := min(chunkElems, max(minChunkElems, elems/fewChunks))
	leaf := min(leafElems, max(minLeafElems, elems/fewChunks))
	if rows {
		leaf = max(leaf, min(leafOfRows, elems/manyChunks))
	}

	room, columns, taken := chunk, stripCols, 1
	for i := range slices.Backward(dims) {
		d := &dims[i]
		if d.kept {
			d.tile = max(1, min(d.size, room, columns))
			columns /= d.tile
		} else {
			d.tile = max(1, min(d.size, room, leaf))
			leaf /= d.tile
			taken *= d.tile
		}
		room /= d.tile
	}

	outputs := max(1, min(maxOutputs/4, chunk/taken))
	for i := range slices.Backward(dims) {
		if d := &dims[i]; d.kept {
			d.tile = max(1, min(d.size, outputs))
			outputs /= d.tile
		}
	}
}

// join makes the nest of the dims. The strides of an input that is not one run along a joined axis
// are 0 there.
func (a *axes) join(operands []plan.Operand) {
	n := plan.Nest{Strides: make([][]int, len(operands)), Start: make([]int, len(operands))}
	for _, operand := range operands {
		n.ElemSizes = append(n.ElemSizes, operand.ElemSize)
	}
	for i := range a.dims {
		d := &a.dims[i]
		if d.outer = i == 0 || a.dims[i-1].kept != d.kept || d.tile < d.size || a.breaks(i); d.outer {
			n.Sizes, a.kept, a.tile = append(n.Sizes, 1), append(a.kept, d.kept), append(a.tile, 1)
		}
		d.axis = len(n.Sizes) - 1
		n.Sizes[d.axis] *= d.size
		a.tile[d.axis] *= d.tile
		for j := i - 1; j >= 0 && a.dims[j].axis == d.axis; j-- {
			a.dims[j].inner *= d.size
		}
	}

	for k := range operands {
		n.Strides[k] = make([]int, len(n.Sizes))
		for _, d := range a.dims {
			n.Strides[k][d.axis] = d.strides[k] // of the innermost one in the end
		}
	}

	a.nest = n
}

// breaks reports whether dim i stays an axis of its own. It does if it is the rows that are taken
// one by one, or if it is kept outside the columns of blocks and no input has it in one run with
// the dim before.
func (a *axes) breaks(i int) bool {
	d, before, last := &a.dims[i], &a.dims[i-1], len(a.dims)-1
	if !d.kept || a.dims[last].kept {
		return a.rows && i == last
	}
	for k, s := range d.strides[:a.out] {
		if before.strides[k] != s*d.size {
			return true
		}
	}
	return false
}

// isRun reports whether operand k has one stride along each axis.
func (a *axes) isRun(k int) bool {
	for _, d := range a.dims {
		if d.strides[k] != a.nest.Strides[k][d.axis]*d.inner {
			return false
		}
	}
	return true
}

// shortest returns the dim along which operand k has its shortest stride that is not 0, or -1.
func (a *axes) shortest(k int) int {
	best := -1
	for i, d := range a.dims {
		if s := magnitude(d.strides[k]); s != 0 && (best < 0 || s <= magnitude(a.dims[best].strides[k])) {
			best = i
		}
	}
	return best
}

// across reports whether operand k has its shortest stride along another axis than the columns of
// blocks.
func (a *axes) across(k int) bool {
	s := a.shortest(k)
	return s >= 0 && a.dims[s].axis != a.col
}

const (
	// acrossBytes is the wanted length of each run of a transposed input in a chunk.
	acrossBytes = 4 << 10
	// acrossCols is the number of results across such runs: a chunk of them stays in the caches.
	acrossCols = 64
	// maxAcross is the largest number of bytes of such an input that a chunk packs.
	maxAcross = 16 << 20
)

// widen gives chunks more tiles along the axis where input k is one run, and orders the chunks so.
func (a *axes) widen(k int) {
	d, size := &a.dims[a.shortest(k)], a.nest.ElemSizes[k]

	if last := &a.dims[len(a.dims)-1]; !d.kept && last.kept && last.outer {
		last.tile = min(last.tile, acrossCols)
		a.tile[a.col] = last.tile
		a.count()
	}

	if !d.outer || d.tile == d.size {
		return
	}

	bytes := size
	for axis, tile := range a.tile {
		bytes *= tile * a.batch[axis]
	}

	more := max(1, min(acrossBytes/(size*d.tile), maxAcross/bytes))
	if !d.kept {
		a.batch[d.axis] = min(a.tiles[d.axis], more)
		return
	}

	more = max(1, min(more, maxOutputs/a.maxBoxOutputs()))
	d.tile = min(d.size, d.tile*more)
	a.tile[d.axis] = d.tile * d.inner
	a.count()
}

// pack gives operand k the strides of the elements of a chunk in C order.
func (a *axes) pack(k int) {
	stride := a.nest.ElemSizes[k]
	for axis, size := range slices.Backward(a.nest.Sizes) {
		a.nest.Strides[k][axis] = stride
		stride *= min(size, a.tile[axis]*a.batch[axis])
	}
}

// ranges calls fn with the range of each dim in a chunk.
func (a *axes) ranges(b *box, fn func(d *dim, low, size int)) {
	for i := range a.dims {
		d := &a.dims[i]
		low, size := 0, d.size
		if d.outer {
			low, size = b.low[d.axis]/d.inner, b.size[d.axis]/d.inner
		}
		fn(d, low, size)
	}
}
