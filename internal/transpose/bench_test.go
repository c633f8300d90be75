package transpose_test

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"github.com/tstore/tstore/internal/transpose"
)

// BenchmarkMatrix transposes matrices of 256 MiB. ratio is the best time over that of the built-in
// copy.
func BenchmarkMatrix(b *testing.B) {
	const bytes = 256 << 20
	dst, src := make([]byte, bytes+64), make([]byte, bytes+64)
	fill64(dst)
	fill64(src)
	to, from := aligned(dst), aligned(src)
	for _, size := range sizes {
		rows := 16384
		cols := bytes / size / rows
		b.Run(fmt.Sprintf("%d/%dx%d", size, rows, cols), func(b *testing.B) {
			b.SetBytes(bytes)
			var plain, turned time.Duration
			for b.Loop() {
				plain = faster(plain, func() { copy(dst[:bytes], src) })
				turned = faster(turned, func() {
					transpose.Matrix(to, from, rows, cols, rows*size, cols*size, size)
				})
			}
			b.ReportMetric(float64(turned)/float64(plain), "ratio")
		})
	}
}

// BenchmarkBlock transposes in the caches.
func BenchmarkBlock(b *testing.B) {
	for _, size := range sizes {
		transpose.Variants(size, func(name string, side int, block func(dst, src unsafe.Pointer, rows, cols, dstStride, srcStride int)) {
			b.Run(fmt.Sprintf("%d/%s", size, name), func(b *testing.B) {
				n := 256 / size
				dst, src := make([]byte, n*n*size), make([]byte, n*n*size)
				b.SetBytes(int64(len(dst)))
				for b.Loop() {
					block(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), n, n, n*size, n*size)
				}
			})
		})
	}
}

func aligned(b []byte) unsafe.Pointer {
	return unsafe.Pointer(&b[-uintptr(unsafe.Pointer(&b[0]))%64])
}

func fill64(b []byte) {
	for i := 0; i < len(b); i += 64 {
		b[i] = byte(i >> 6)
	}
}

func faster(best time.Duration, f func()) time.Duration {
	start := time.Now()
	f()
	if d := time.Since(start); best == 0 || d < best {
		return d
	}
	return best
}
