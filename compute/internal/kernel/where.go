package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setWhere sets Where for elements of W's size. As whole words they are chosen without a branch.
func setWhere[W any](t *table, typ dtype.Type) { t.set3(Where, typ, where[W]) }

func where[W any](dst, a, b, c unsafe.Pointer, n, sb, sc int) {
	each3(dst, a, b, c, n, sb, sc, func(x uint8, y, z W) W {
		if x != 0 {
			return y
		}
		return z
	})
}

// setWhereOrder sets the choices by comparison. W is an unsigned integer of T's size.
func setWhereOrder[T ordered, W any](t *table, typ dtype.Type) {
	t.set4(WhereLess, typ, whereLess[T, W])
	t.set4(WhereLessEqual, typ, whereLessEqual[T, W])
	t.set4(WhereEqual, typ, whereEqual[T, W])
}

// choose sets n elements of dst to those of c where f of a and b is true and to those of d elsewhere.
func choose[T, W any](dst, a, b, c, d unsafe.Pointer, n, sb, sc, sd int, f func(x, y T) bool) {
	r, x := unsafe.Slice((*W)(dst), n), unsafe.Slice((*T)(a), n)
	for k := range r {
		v, w := *(*W)(unsafe.Add(c, k*sc)), *(*W)(unsafe.Add(d, k*sd))
		if f(x[k], *(*T)(unsafe.Add(b, k*sb))) {
			w = v
		}
		r[k] = w
	}
}

func whereLess[T ordered, W any](dst, a, b, c, d unsafe.Pointer, n, sb, sc, sd int) {
	choose[T, W](dst, a, b, c, d, n, sb, sc, sd, func(x, y T) bool { return x < y })
}

func whereLessEqual[T ordered, W any](dst, a, b, c, d unsafe.Pointer, n, sb, sc, sd int) {
	choose[T, W](dst, a, b, c, d, n, sb, sc, sd, func(x, y T) bool { return x <= y })
}

func whereEqual[T ordered, W any](dst, a, b, c, d unsafe.Pointer, n, sb, sc, sd int) {
	choose[T, W](dst, a, b, c, d, n, sb, sc, sd, func(x, y T) bool { return x == y })
}
