package kernel

import (
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setInteger sets every operation on integers.
func setInteger[T integer](t *table) {
	typ := dtype.Of[T]()

	setCopy[T](t, typ)
	setWhere[T](t, typ)
	setArithmetic[T](t, typ)
	setOrder[T](t, typ)
	setIntegral(t, typ, move[T])

	t.set1(Abs, typ, absInteger[T])
	t.set1(Sign, typ, sign[T])
	t.set1(Reciprocal, typ, reciprocalInteger[T])
	t.set1(Invert, typ, invert[T])

	t.set2(FloorDiv, typ, floorDivInteger[T])
	t.set2(Mod, typ, modInteger[T])
	t.set2(Fmod, typ, fmodInteger[T])
	t.set2(Pow, typ, powInteger[T])

	t.set2(And, typ, and[T])
	t.set2(Or, typ, or[T])
	t.set2(Xor, typ, xor[T])
	t.set2(Shl, typ, shl[T])
	t.set2(Shr, typ, shr[T])
}

// setIntegral sets what is simple for integers and bools, which have neither fractions, nor NaN,
// nor infinities. keep returns its operand.
func setIntegral(t *table, typ dtype.Type, keep loop1) {
	for _, op := range []Op{Floor, Ceil, Trunc} {
		t.set1(op, typ, keep)
	}
	t.set1(IsNaN, typ, func(dst, _ unsafe.Pointer, n int) { fill[uint8](dst, 0, n) })
	t.set1(IsInf, typ, func(dst, _ unsafe.Pointer, n int) { fill[uint8](dst, 0, n) })
	t.set1(IsFinite, typ, func(dst, _ unsafe.Pointer, n int) { fill[uint8](dst, 1, n) })
}

func absInteger[T integer](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T {
		if x < 0 {
			return -x
		}
		return x
	})
}

func sign[T ordered](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return signOf(x) })
}

func signOf[T ordered](x T) T {
	var zero T
	switch {
	case x > 0:
		return 1
	case x < 0:
		return zero - 1
	case x == 0:
		return 0
	}
	return x
}

func reciprocalInteger[T integer](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T {
		if x == 1 || x+1 == 0 && x < 0 {
			return x
		}
		return 0
	})
}

func invert[T integer](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return ^x })
}

func floorDivInteger[T integer](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T {
		if y == 0 {
			return 0
		}
		q := x / y
		if r := x - q*y; r != 0 && r^y < 0 {
			q--
		}
		return q
	})
}

func modInteger[T integer](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T {
		if y == 0 {
			return 0
		}
		r := x % y
		if r != 0 && r^y < 0 {
			r += y
		}
		return r
	})
}

func fmodInteger[T integer](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T {
		if y == 0 {
			return 0
		}
		return x % y
	})
}

func powInteger[T integer](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return powOf(x, y) })
}

// powOf returns x to the power y by squaring.
func powOf[T integer](x, y T) T {
	power := T(1)
	if y < 0 {
		if x != 1 && x+1 != 0 {
			return 0
		}
		y &= 1 // only 1 and -1 are left, whose powers repeat
	}
	for y != 0 {
		if y&1 != 0 {
			power *= x
		}
		x *= x
		y >>= 1
	}
	return power
}

func and[T integer](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return x & y })
}

func or[T integer](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return x | y })
}

func xor[T integer](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return x ^ y })
}

// Go shifts all bits out when the count is too large. A negative count becomes one.

func shl[T integer](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return x << uint64(y) })
}

func shr[T integer](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return x >> uint64(y) })
}
