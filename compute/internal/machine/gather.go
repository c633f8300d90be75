package machine

import (
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/internal/transpose"
)

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
		first := at + row*in.Outer
		if in.Inner == elemSize {
			in.Fill(dst, first/elemSize, cols)
			dst = unsafe.Add(dst, cols*elemSize)
			continue
		}
		for col := range cols {
			in.Fill(dst, (first+col*in.Inner)/elemSize, 1)
			dst = unsafe.Add(dst, elemSize)
		}
	}
}
