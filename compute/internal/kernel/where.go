package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setWhere sets Where for elements of T's size.
func setWhere[T any](t *table, typ dtype.Type) { t.set3(Where, typ, where[T]) }

func where[T any](dst, a, b, c unsafe.Pointer, n, sb, sc int) {
	each3(dst, a, b, c, n, sb, sc, func(x uint8, y, z T) T {
		if x != 0 {
			return y
		}
		return z
	})
}

// choose sets n elements of dst to those of c where f of a and b is true and to those of d elsewhere.
func choose[A, T any](dst, a, b, c, d unsafe.Pointer, n, sb, sc, sd int, f func(x, y A) bool) {
	i, j, l := 0, 0, 0
	r, x := unsafe.Slice((*T)(dst), n), unsafe.Slice((*A)(a), n)
	for k := range r {
		p := unsafe.Add(d, l)
		if f(x[k], *(*A)(unsafe.Add(b, i))) {
			p = unsafe.Add(c, j)
		}
		r[k] = *(*T)(p)
		i, j, l = i+sb, j+sc, l+sd
	}
}

func whereLess[T ordered](dst, a, b, c, d unsafe.Pointer, n, sb, sc, sd int) {
	choose[T, T](dst, a, b, c, d, n, sb, sc, sd, func(x, y T) bool { return x < y })
}

func whereLessEqual[T ordered](dst, a, b, c, d unsafe.Pointer, n, sb, sc, sd int) {
	choose[T, T](dst, a, b, c, d, n, sb, sc, sd, func(x, y T) bool { return x <= y })
}

func whereEqual[T ordered](dst, a, b, c, d unsafe.Pointer, n, sb, sc, sd int) {
	choose[T, T](dst, a, b, c, d, n, sb, sc, sd, func(x, y T) bool { return x == y })
}
