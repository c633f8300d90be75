package kernel

import (
	"math"
	"unsafe"
)

// The quotients and remainders of floats are those of NumPy's npy_divmod, which are those of Python.

func floorDivFloat[T float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return floorDivOf(x, y) })
}

func modFloat[T float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return modOf(x, y) })
}

func fmodFloat[T float](dst, a, b unsafe.Pointer, n, sa, sb int) {
	each2(dst, a, b, n, sa, sb, func(x, y T) T { return T(fmodOf(float64(x), float64(y))) })
}

func floorDivOf[T float](x, y T) T {
	if y == 0 {
		return x / y
	}
	r := T(fmodOf(float64(x), float64(y)))
	q := (x - r) / y
	if r != 0 && (r < 0) != (y < 0) {
		q--
	}
	if q == 0 {
		return T(math.Copysign(0, float64(x/y)))
	}
	whole := T(math.Floor(float64(q)))
	if q-whole > 0.5 {
		whole++
	}
	return whole
}

func modOf[T float](x, y T) T {
	r := T(fmodOf(float64(x), float64(y)))
	switch {
	case r == 0:
		return T(math.Copysign(0, float64(y)))
	case (r < 0) != (y < 0):
		return r + y
	}
	return r // NaN too
}

// fmodOf returns the remainder of x/y with the sign of x, as C's fmod does. It is exact, and so is that of float32s.
func fmodOf(x, y float64) float64 {
	q := math.Trunc(x / y)
	if !(math.Abs(q) < 1<<53) {
		return math.Mod(x, y)
	}
	if q == 0 {
		return x
	}
	// q is the whole part of the exact quotient or one more, so that the remainder has y's spacing and size.
	r := math.FMA(-q, y, x)
	if r != 0 && math.Signbit(r) != math.Signbit(x) {
		r += math.Copysign(y, x)
	}
	return math.Copysign(r, x)
}
