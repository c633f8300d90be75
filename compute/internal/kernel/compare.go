package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setOrder sets the comparisons of integers and floats, and what follows from them.
func setOrder[T ordered](t *table, typ dtype.Type) {
	t.set2(Equal, typ, equal[T])
	t.set2(NotEqual, typ, notEqual[T])
	t.set2(Less, typ, less[T])
	t.set2(LessEqual, typ, lessEqual[T])
	t.set2(Greater, typ, greater[T])
	t.set2(GreaterEqual, typ, greaterEqual[T])
	t.set2(Min, typ, minimum[T])
	t.set2(Max, typ, maximum[T])
	t.set2(FMin, typ, fmin[T])
	t.set2(FMax, typ, fmax[T])
	t.set3(Clip, typ, clip[T])
}

func equal[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) bool { return x == y })
}

func notEqual[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) bool { return x != y })
}

func less[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) bool { return x < y })
}

func lessEqual[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) bool { return x <= y })
}

func greater[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) bool { return x > y })
}

func greaterEqual[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) bool { return x >= y })
}

// minOf and maxOf are Min and Max. The built-in functions differ: to them -0 is less than 0.

func minOf[T ordered](x, y T) T {
	if x < y || x != x {
		return x
	}
	return y
}

func maxOf[T ordered](x, y T) T {
	if x > y || x != x {
		return x
	}
	return y
}

func minimum[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return minOf(x, y) })
}

func maximum[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return maxOf(x, y) })
}

func fmin[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T {
		if x < y || y != y {
			return x
		}
		return y
	})
}

func fmax[T ordered](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T {
		if x > y || y != y {
			return x
		}
		return y
	})
}

func clip[T ordered](dst, a, b, c unsafe.Pointer, n, sb, sc int) {
	each3(dst, a, b, c, n, sb, sc, func(x, y, z T) T { return minOf(maxOf(x, y), z) })
}
