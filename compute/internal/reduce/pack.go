package reduce

import (
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/internal/transpose"
)

// pack copies the elements of a chunk that lie across the others, or in several runs, into buffers
// in C order.
func (w *worker) pack() {
	e := w.engine
	for k, in := range e.spec.Inputs {
		if !e.apart[k] || e.isOnDevice(k) {
			continue
		}

		p := packing{elemSize: e.axes.nest.ElemSizes[k]}
		from := -w.shift[k]
		e.axes.ranges(&w.box, func(d *dim, low, size int) {
			from += low * d.strides[k]
			p.sizes, p.from = append(p.sizes, size), append(p.from, d.strides[k])
			p.to = append(p.to, e.axes.nest.Strides[k][d.axis]*d.inner)
		})

		dst := w.packed[k].get(useConverted, e.packedBytes(k))
		if in.Fill != nil {
			p.generate(dst, from, in.Fill)
		} else {
			p.copy(dst, unsafe.Add(w.inputs[k].Base, from))
		}

		w.inputs[k].Base, w.shift[k] = dst, 0
		for axis, low := range w.box.low {
			w.shift[k] += low * e.axes.nest.Strides[k][axis]
		}
	}
}

// packedBytes returns the bytes of an input that a chunk packs.
func (e *Engine) packedBytes(k int) int {
	a := e.axes
	return a.nest.Strides[k][0] * min(a.nest.Sizes[0], a.tile[0]*a.batch[0])
}

// A packing is the elements of an input in a chunk: their strides there, and in C order.
type packing struct {
	elemSize        int
	sizes, from, to []int
}

// move puts an axis last.
func (p *packing) move(axis int) {
	for _, s := range [][]int{p.sizes, p.from, p.to} {
		v := s[axis]
		copy(s[axis:], s[axis+1:])
		s[len(s)-1] = v
	}
}

// each calls fn with the offsets of the elements that have index 0 along the last axes.
func (p *packing) each(last, from, to int, fn func(from, to int)) {
	outer := len(p.sizes) - last
	var walk func(axis, from, to int)
	walk = func(axis, from, to int) {
		if axis == outer {
			fn(from, to)
			return
		}
		for i := range p.sizes[axis] {
			walk(axis+1, from+i*p.from[axis], to+i*p.to[axis])
		}
	}
	walk(0, from, to)
}

// copy copies from src to dst.
func (p *packing) copy(dst, src unsafe.Pointer) {
	n := len(p.sizes) - 1
	near := n
	for axis, s := range slices.Backward(p.from) {
		if s != 0 && p.sizes[axis] > 1 && (p.from[near] == 0 || magnitude(s) < magnitude(p.from[near])) {
			near = axis
		}
	}
	if near == n {
		p.each(1, 0, 0, func(from, to int) {
			kernel.Gather(unsafe.Add(dst, to), unsafe.Add(src, from), p.elemSize, p.from[n], p.sizes[n])
		})
		return
	}

	// The last axis is then the axis of packed elements, and the one before it that of the others.
	p.move(near)
	p.sizes[n-1], p.sizes[n] = p.sizes[n], p.sizes[n-1]
	p.from[n-1], p.from[n] = p.from[n], p.from[n-1]
	p.to[n-1], p.to[n] = p.to[n], p.to[n-1]
	from, to := p.forwards(n - 1)
	p.each(2, from, to, func(from, to int) { p.across(unsafe.Add(dst, to), unsafe.Add(src, from)) })
}

// forwards turns an axis round that runs backwards where the elements are from, and returns the
// offsets of its first one.
func (p *packing) forwards(axis int) (from, to int) {
	if p.from[axis] < 0 {
		from, to = (p.sizes[axis]-1)*p.from[axis], (p.sizes[axis]-1)*p.to[axis]
		p.from[axis], p.to[axis] = -p.from[axis], -p.to[axis]
	}
	return from, to
}

// acrossSide is the number of rows and columns of the rectangles of elements that are copied with
// steps in both axes.
const acrossSide = 64

// acrossStrip is the number of runs of a narrow chunk that are transposed at a time.
const acrossStrip = 8

// across copies the elements of the last two axes: packed along the last, and along the one before
// it where they are from.
func (p *packing) across(dst, src unsafe.Pointer) {
	n := len(p.sizes) - 1
	rows, cols := p.sizes[n-1], p.sizes[n]

	if p.from[n-1] == p.elemSize && cols <= acrossCols {
		for col := 0; col < cols; col += acrossStrip {
			transpose.Block(unsafe.Add(dst, col*p.to[n]), unsafe.Add(src, col*p.from[n]), min(acrossStrip, cols-col), rows, p.to[n-1], p.from[n], p.elemSize)
		}
		return
	}

	if p.from[n-1] == p.elemSize {
		transpose.Matrix(dst, src, cols, rows, p.to[n-1], p.from[n], p.elemSize)
		return
	}

	// Neither side is contiguous along the rows: go in squares, which keep both in the cache.
	for row := 0; row < rows; row += acrossSide {
		for col := 0; col < cols; col += acrossSide {
			for r := row; r < min(row+acrossSide, rows); r++ {
				to, from := r*p.to[n-1]+col*p.to[n], r*p.from[n-1]+col*p.from[n]
				kernel.Gather(unsafe.Add(dst, to), unsafe.Add(src, from), p.elemSize, p.from[n], min(acrossSide, cols-col))
			}
		}
	}
}

// generate makes elements that are not in memory, in runs where they have one.
func (p *packing) generate(dst unsafe.Pointer, from int, fill func(dst unsafe.Pointer, first, n int)) {
	if axis := slices.Index(p.from, p.elemSize); axis >= 0 {
		p.move(axis)
	}

	n := len(p.sizes) - 1
	run := p.sizes[n]
	if p.from[n] != p.elemSize {
		run = 1
	}

	elements := make([]byte, run*p.elemSize)
	first := unsafe.Pointer(unsafe.SliceData(elements))

	p.each(1, from, 0, func(from, to int) {
		for i := 0; i < p.sizes[n]; i += run {
			fill(first, (from+i*p.from[n])/p.elemSize, run)
			kernel.Scatter(unsafe.Add(dst, to+i*p.to[n]), first, p.elemSize, p.to[n], run)
		}
	})
}
