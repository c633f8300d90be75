package kernel

import "math"

// complexSqrt returns the root in the right half of the plane.
func complexSqrt(z complexPair) complexPair {
	switch {
	case z.re != z.re && !math.IsInf(z.im, 0):
		return complexPair{z.re, z.re}
	case !z.finite():
		return sqrtSpecial(z)
	case z.re == 0 && z.im == 0:
		return complexPair{0, z.im}
	}

	before, after := 1.0, 1.0 // keeps the magnitude and its digits within range
	switch size := max(math.Abs(z.re), math.Abs(z.im)); {
	case size > 0x1p1000:
		before, after = 0x1p-4, 4
	case size < 0x1p-900:
		before, after = 0x1p200, 0x1p-100
	}

	z = z.scaled(before)

	// The root of the larger part comes first: the other one follows from it without a difference
	// of near numbers.
	t := math.Sqrt((math.Abs(z.re) + hypot(z.re, z.im)) / 2)
	if z.re >= 0 {
		return complexPair{t * after, z.im / (2 * t) * after}
	}
	return complexPair{math.Abs(z.im) / (2 * t) * after, math.Copysign(t*after, z.im)}
}

// complexPow returns x to the power y as NumPy does: small whole powers by multiplication.
func complexPow(x, y complexPair) complexPair {
	switch {
	case y.re == 0 && y.im == 0:
		return complexPair{1, 0}
	case x.re == 0 && x.im == 0:
		if y.re > 0 {
			return complexPair{}
		}
		return complexPair{math.NaN(), math.NaN()}
	case y.im == 0 && math.Abs(y.re) < 100 && y.re == math.Trunc(y.re):
		return complexPowInt(x, int(y.re))
	}
	return complexExp(y.mul(complexLog(x)))
}

func complexPowInt(x complexPair, n int) complexPair {
	switch n {
	case 1:
		return x
	case 2:
		return x.mul(x)
	case 3:
		return x.mul(x.mul(x))
	}

	// Square and multiply, by the bits of n from the lowest up.
	power := complexPair{1, 0}
	for m := max(n, -n); ; x = x.mul(x) {
		if m&1 != 0 {
			power = power.mul(x)
		}
		if m >>= 1; m == 0 {
			break
		}
	}

	if n < 0 {
		return complexPair{1, 0}.div(power)
	}
	return power
}
