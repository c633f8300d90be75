package transpose

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// Matrix sets dst, of cols rows and rows columns, to the transpose of src, of rows rows and cols
// columns: element (j, i) of dst becomes element (i, j) of src. Elements are packed within the
// rows, and the rows of each matrix are its stride in bytes apart, which may be negative.
//
// elemSize is 1, 2, 4, 8 or 16. dst and src have any alignment and share no byte. Matrix is safe
// for concurrent calls with different dst. It is fastest where dst is large and its rows start at
// multiples of 64 bytes.
func Matrix(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride, elemSize int) {
	if rows*cols*elemSize >= streamBytes {
		Stream(dst, src, rows, cols, dstStride, srcStride, elemSize)
		return
	}
	b := block{dst, src, dstStride, srcStride, elemSize}
	b.blocks(kernelsOf(elemSize), rows, cols)
}

// Stream is Matrix for a part of matrices that are much larger than the caches: it writes past them
// where it can.
func Stream(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride, elemSize int) {
	b, kernels := block{dst, src, dstStride, srcStride, elemSize}, kernelsOf(elemSize)
	if len(kernels) > 0 && kernels[0].stream != nil && b.canStream() {
		b.streamed(kernels, rows, cols)
		return
	}
	b.blocks(kernels, rows, cols)
}

// Block is Matrix for a matrix that the caches hold: it takes no care to visit the elements in an
// order that suits them.
func Block(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride, elemSize int) {
	b := block{dst, src, dstStride, srcStride, elemSize}
	b.transpose(kernelsOf(elemSize), rows, cols)
}

// kernelsOf returns the kernels for elements of one size.
func kernelsOf(elemSize int) []kernel {
	if elemSize < 1 || elemSize > 16 || elemSize&(elemSize-1) != 0 {
		panic(fmt.Sprintf("BUG: transpose of elements of %d bytes", elemSize))
	}
	return kernels[bits.TrailingZeros(uint(elemSize))]
}
