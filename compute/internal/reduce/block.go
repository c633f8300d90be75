package reduce

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
)

// A block is rows of elements that are in memory. Each column belongs to one result, or to one lane
// of a result.
type block struct {
	ptr        unsafe.Pointer
	stride     int // bytes from one row to the next
	rows, cols int
	mask       unsafe.Pointer // one byte an element, 0 for those left out; nil: none are
	maskStride int
	index      int // of element 0 among all that are reduced to one result, in C order; for ArgMin and ArgMax
	indexRow   int // what index grows by from row to row
	indexCol   int // and from column to column
	width      int // columns that indexRow and indexCol count, which the block may have folded into longer rows
	position   int // of element 0 among the rows of width columns
}

// indexOf returns the index of an element.
func (b *block) indexOf(row, col int) int {
	p := b.position + row*b.cols + col
	return b.index + p/b.width*b.indexRow + p%b.width*b.indexCol
}

// part returns some rows of b.
func (b *block) part(row, rows int) block {
	p := *b
	p.ptr = unsafe.Add(b.ptr, row*b.stride)
	if b.mask != nil {
		p.mask = unsafe.Add(b.mask, row*b.maskStride)
	}
	p.rows = rows
	p.position += row * b.cols
	return p
}

// every returns some rows of b, step rows apart.
func (b *block) every(row, step, rows int) block {
	p := b.part(row, rows)
	p.position, p.index = 0, b.index+row*b.indexRow
	p.stride *= step
	p.indexRow *= step
	return p
}

// columns returns some columns of b, whose elements are not looked for by index.
func (b *block) columns(col, cols, elemSize int) block {
	p := *b
	p.ptr, p.cols = unsafe.Add(b.ptr, col*elemSize), cols
	if b.mask != nil {
		p.mask = unsafe.Add(b.mask, col)
	}
	return p
}

// folded returns b with several rows joined to one: rows of cols elements. b must have enough
// elements from the given position on, and its rows must lie one after another.
func (b *block) folded(position, rows, cols, elemSize int) block {
	p := *b
	p.ptr, p.stride = unsafe.Add(b.ptr, position*elemSize), cols*elemSize
	if b.mask != nil {
		p.mask, p.maskStride = unsafe.Add(b.mask, position), cols
	}
	p.rows, p.cols, p.position = rows, cols, b.position+position
	return p
}

// apply returns b with what fn makes of its elements, put into dst one row after another. from and
// to are the sizes of elements before and after.
func (b *block) apply(fn kernel.Func, dst unsafe.Pointer, from, to int) block {
	p := *b
	p.ptr, p.stride = dst, b.cols*to
	if b.stride == b.cols*from {
		kernel.Call(fn, dst, b.ptr, nil, nil, b.rows*b.cols)
		return p
	}
	for row := range b.rows {
		kernel.Call(fn, unsafe.Add(dst, row*p.stride), unsafe.Add(b.ptr, row*b.stride), nil, nil, b.cols)
	}
	return p
}

// replaced returns b without a mask. The elements left out are replaced by the elements of a row at
// second, or by the one element there, as where takes it.
func (b *block) replaced(where kernel.Func, second, dst unsafe.Pointer, elemSize int) block {
	p := *b
	p.ptr, p.stride, p.mask = dst, b.cols*elemSize, nil
	for row := range b.rows {
		kernel.Call(where, unsafe.Add(dst, row*p.stride), unsafe.Add(b.mask, row*b.maskStride), unsafe.Add(b.ptr, row*b.stride), second, b.cols)
	}
	return p
}
