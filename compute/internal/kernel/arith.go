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
	t.set2(SumSquares, typ, sumSquares[T])
	t.set3(MulAdd, typ, mulAdd[T])
	t.set3(MulSub, typ, mulSub[T])
	t.set3(SubMul, typ, subMul[T])
	setSums[T](t, typ)
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

// The conversions below round each product, which the language else allows to be fused with the sum.

func sumSquares[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return T(x*x) + T(y*y) })
}

func mulAdd[T ordered](dst, a, b, c unsafe.Pointer, n, sb, sc int) {
	each3(dst, a, b, c, n, sb, sc, func(x, y, z T) T { return T(x*y) + z })
}

func mulSub[T ordered](dst, a, b, c unsafe.Pointer, n, sb, sc int) {
	each3(dst, a, b, c, n, sb, sc, func(x, y, z T) T { return T(x*y) - z })
}

func subMul[T ordered](dst, a, b, c unsafe.Pointer, n, sb, sc int) {
	each3(dst, a, b, c, n, sb, sc, func(x, y, z T) T { return z - T(x*y) })
}
