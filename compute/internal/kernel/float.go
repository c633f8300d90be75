package kernel

import (
	"math"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// setFloat sets every operation on floats but the transcendental ones. W is an integer of T's size.
func setFloat[T float, W unsigned](t *table) {
	typ := dtype.Of[T]()

	setCopy[T](t, typ)
	setWhere[W](t, typ)
	setArithmetic[T](t, typ)
	setOrder[T](t, typ)
	setRounding[T](t, typ)

	t.set1(Abs, typ, absFloat[T])
	t.set1(Sign, typ, sign[T])
	t.set1(Reciprocal, typ, reciprocalFloat[T])
	t.set1(Sqrt, typ, sqrt[T])

	t.set1(IsNaN, typ, isNaN[T])
	t.set1(IsInf, typ, isInf[T])
	t.set1(IsFinite, typ, isFinite[T])
	t.set1(SignBit, typ, signBit[T])

	t.set2(Div, typ, div[T])
	t.set2(FloorDiv, typ, floorDivFloat[T])
	t.set2(Mod, typ, modFloat[T])
	t.set2(Fmod, typ, fmodFloat[T])
	t.set2(CopySign, typ, copySign[T])
}

func absFloat[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return T(math.Abs(float64(x))) })
}

func reciprocalFloat[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return 1 / x })
}

// The square root of a float32 taken as a float64 and rounded is the nearest float32.

func sqrt[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) T { return T(math.Sqrt(float64(x))) })
}

func div[T float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return x / y })
}

func isNaN[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) bool { return x != x })
}

func isInf[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) bool { return math.Abs(float64(x)) > math.MaxFloat64 })
}

func isFinite[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) bool { return math.Abs(float64(x)) <= math.MaxFloat64 })
}

func signBit[T float](dst, a unsafe.Pointer, n int) {
	each1(dst, a, n, func(x T) bool { return math.Signbit(float64(x)) })
}

func copySign[T float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return T(math.Copysign(float64(x), float64(y))) })
}

// setNextAfter sets what is written twice, for the two sizes of floats.
func setNextAfter(t *table) {
	t.set2(NextAfter, dtype.Float32, func(dst, a, b unsafe.Pointer, n, sa, sb int) {
		each2(dst, a, b, n, sa, sb, func(x, y float32) float32 {
			if x == y {
				return y // 0 after -0 is 0
			}
			return math.Nextafter32(x, y)
		})
	})

	t.set2(NextAfter, dtype.Float64, func(dst, a, b unsafe.Pointer, n, sa, sb int) {
		each2(dst, a, b, n, sa, sb, func(x, y float64) float64 {
			if x == y {
				return y
			}
			return math.Nextafter(x, y)
		})
	})
}
