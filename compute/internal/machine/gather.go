package machine

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/internal/transpose"
)

// Gather copies the elements of a block to dst, one after another. at is the offset in bytes of the
// first one.
func (in *Input) Gather(dst unsafe.Pointer, elemSize, at, rows, cols int) {
	if in.Fill != nil {
		generate(dst, in, elemSize, at, rows, cols)
		return
	}
	gather(dst, unsafe.Add(in.Base, at), elemSize, in.Inner, in.Outer, rows, cols)
}

// Scatter is the reverse of Gather: it copies elements that lie one after another to a block.
func (t *Target) Scatter(src unsafe.Pointer, elemSize, at, rows, cols int) {
	scatter(unsafe.Add(t.Base, at), src, elemSize, t.Inner, t.Outer, rows, cols)
}

// gather copies rows·cols elements that lie inner and outer bytes apart to dst, one after another.
func gather(dst, src unsafe.Pointer, elemSize, inner, outer, rows, cols int) {
	if outer == elemSize && rows > 1 && inner != elemSize {
		transpose.Block(dst, src, cols, rows, cols*elemSize, inner, elemSize)
		return
	}
	for row := range rows {
		kernel.Gather(unsafe.Add(dst, row*cols*elemSize), unsafe.Add(src, row*outer), elemSize, inner, cols)
	}
}

// scatter is the reverse of gather.
func scatter(dst, src unsafe.Pointer, elemSize, inner, outer, rows, cols int) {
	for row := range rows {
		kernel.Scatter(unsafe.Add(dst, row*outer), unsafe.Add(src, row*cols*elemSize), elemSize, inner, cols)
	}
}

// generate makes the elements of an input that is not in memory, one after another.
func generate(dst unsafe.Pointer, in *Input, elemSize, at, rows, cols int) {
	for row := range rows {
		to, first := unsafe.Add(dst, row*cols*elemSize), at+row*in.Outer
		if in.Inner == elemSize {
			in.Fill(to, first/elemSize, cols)
			continue
		}
		for col := range cols {
			in.Fill(unsafe.Add(to, col*elemSize), (first+col*in.Inner)/elemSize, 1)
		}
	}
}
