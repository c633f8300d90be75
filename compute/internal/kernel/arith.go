package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setArithmetic sets what integers and floats have in common.
func setArithmetic[T ordered](t *table, typ dtype.Type) {
	t.set1(Neg, typ, neg[T])
	t.set1(Square, typ, square[T])
	t.set1(Relu, typ, relu[T])
	t.set1(Not, typ, not[T])
	t.set2(Add, typ, add[T])
	t.set2(Sub, typ, sub[T])
	t.set2(Mul, typ, mul[T])
}

func neg[T ordered](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return -x })
}

func square[T ordered](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return x * x })
}

func relu[T ordered](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T {
		if x > 0 || x != x {
			return x
		}
		return 0
	})
}

func not[T ordered](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) bool { return x == 0 })
}

func add[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return x + y })
}

func sub[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return x - y })
}

func mul[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return x * y })
}
