package kernel

import (
	"math"
	"unsafe"
)

// Quotients and remainders of floats follow NumPy's npy_divmod, which follows Python.

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

	// What is left over is taken off first, so that the quotient is a whole number but for its
	// rounding.
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

// fmodOf returns the remainder of x/y with the sign of x, as C's fmod does. It is exact, for
// float32s too.
func fmodOf(x, y float64) float64 {
	r, d := math.Abs(x), math.Abs(y)
	switch {
	case !(r <= math.MaxFloat64) || !(d > 0):
		return math.NaN()
	case r < d:
		return x
	}
	for !(r/d < 1<<53) { // the quotient may be infinite
		r = remainder(r, math.Ldexp(d, math.Ilogb(r)-math.Ilogb(d)-52))
	}
	return math.Copysign(remainder(r, d), x)
}

// remainder returns the remainder of r/d. Neither is negative. The result is exact for quotients
// below 2⁵³: q is the whole part of the exact quotient or one more, so the difference has no more
// digits than d.
func remainder(r, d float64) float64 {
	q := math.Trunc(r / d)
	r = math.FMA(-q, d, r)
	if r < 0 {
		r += d
	}
	return r
}
