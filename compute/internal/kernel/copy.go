package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setCopy sets Copy for elements of T's size: from a vector, and of one scalar to all elements.
func setCopy[T any](t *table, typ dtype.Type) {
	t.set1(Copy, typ, move[T])
	t.set(Copy, typ, 1, func(dst, a, _, _, _ unsafe.Pointer, n int) { fill(dst, *(*T)(a), n) })
}

func move[T any](dst, a unsafe.Pointer, n int) {
	copy(unsafe.Slice((*T)(dst), n), unsafe.Slice((*T)(a), n))
}

// fill sets n elements of dst to v.
func fill[T any](dst unsafe.Pointer, v T, n int) {
	z := unsafe.Slice((*T)(dst), n)
	for i := range z {
		z[i] = v
	}
}
