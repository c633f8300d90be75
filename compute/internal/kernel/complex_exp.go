package kernel

import "math"

// complexExp returns e to the power z. Where the power of the real part alone is too large, half of
// it is taken twice.
func complexExp(z complexPair) complexPair {
	switch {
	case !z.finite():
		return expSpecial(z)
	case z.im == 0:
		return complexPair{exp(z.re), z.im}
	}
	direction := complexPair{cos(z.im), sin(z.im)}
	if math.Abs(z.re) < 708 {
		return direction.scaled(exp(z.re))
	}
	half := exp(z.re / 2)
	return direction.scaled(half).scaled(half)
}

func complexExp2(z complexPair) complexPair { return complexExp(z.scaled(math.Ln2)) }

// complexExpm1 keeps the digits of the real part that 1 would take: e^x·cos y - 1 = (e^x - 1)·cos y
// - 2·sin²(y/2).
func complexExpm1(z complexPair) complexPair {
	s := sin(z.im / 2)
	return complexPair{float64(expm1(z.re)*cos(z.im)) - float64(2*s*s), exp(z.re) * sin(z.im)}
}

func complexLog(z complexPair) complexPair {
	return complexPair{logAbs(z.re, z.im), atan2(z.im, z.re)}
}

func complexLog2(z complexPair) complexPair { return complexLog(z).scaled(math.Log2E) }

func complexLog10(z complexPair) complexPair { return complexLog(z).scaled(math.Log10E) }

func complexLog1p(z complexPair) complexPair {
	return complexPair{logAbs1p(z.re, z.im), atan2(z.im, z.re+1)}
}

// logAbs returns the logarithm of the magnitude of x + iy.
func logAbs(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	a, b := max(x, y), min(x, y)
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return math.Inf(1)
	case a > 0x1p1000:
		return log(hypot(a*0x1p-100, b*0x1p-100)) + 100*math.Ln2
	case a < 0x1p-900:
		return log(hypot(a*0x1p200, b*0x1p200)) - 200*math.Ln2
	case 0.5 < a && a < 2: // the sum of the squares may be near 1
		u := mul2(a, a).plus(pair64{-1, 0}).plus(mul2(b, b))
		return log1p(u.value()) / 2
	}
	return log(hypot(a, b))
}

// logAbs1p returns the logarithm of the magnitude of 1 + x + iy. Where 1 + x is not exact, it takes
// the square of the magnitude less 1.
func logAbs1p(x, y float64) float64 {
	if !(-0.5 < x && x < 2 && math.Abs(y) < 2) {
		return logAbs(x+1, y)
	}
	u := mul2(x, x).plus(pair64{2 * x, 0}).plus(mul2(y, y))
	return log1p(u.value()) / 2
}
