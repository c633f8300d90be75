package transpose

import "unsafe"

// Variants calls test with each way to transpose that this machine has, the fastest first, for one
// element size.
func Variants(elemSize int, test func(name string, side int, block func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int))) {
	all := kernelsOf(elemSize)
	for i := range len(all) + 1 {
		name, side := "portable", strip
		if i < len(all) {
			side = all[i].side
			name = []string{"whole", "half", "quarter"}[i]
		}
		test(name, side, func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int) {
			block{dst, src, dstStride, srcStride, elemSize}.transpose(all[i:], rows, cols)
		})
	}
}

// Streamed calls test with each way to write past the caches that this machine has.
func Streamed(elemSize int, test func(side int, streamed func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int))) {
	all := kernelsOf(elemSize)
	for i, k := range all {
		if k.stream == nil {
			continue
		}
		test(k.side, func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int) {
			b := block{dst, src, dstStride, srcStride, elemSize}
			if !b.canStream() {
				panic("BUG: a test of streaming with rows that can't be streamed")
			}
			b.streamed(all[i:], rows, cols)
		})
	}
}
