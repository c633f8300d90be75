package kernel

import "math"

var (
	piHi = 0x1.921fb54442d18p1
	piLo = 0x1.1a62633145c07p-53
)

// An arc is asin(t) = hi + rest for 0 ≤ t ≤ 1/2, and half of acos(t) beyond, as fdlibm has it:
// asin(√((1-t)/2)).
type arc struct {
	hi, rest float64
	beyond   bool
}

func arcOf(t float64) arc {
	z, s, rest, beyond := float64(t*t), t, 0.0, t > 0.5
	if beyond {
		z = math.FMA(-0.5, t, 0.5) // exact
		s = math.Sqrt(z)
		rest = float64(math.FMA(-s, s, z) * halfInverseRoot(z))
	}
	return arc{s, math.FMA(float64(s*z), poly(z, asinPoly[:]), rest), beyond}
}

// halfInverseRoot returns 1/(2√z) with an error of 4 % at most, of a z ≥ 0: the exponent by integer
// arithmetic.
func halfInverseRoot(z float64) float64 {
	return math.Float64frombits(halfInverseRootBits - math.Float64bits(z)>>1)
}

const halfInverseRootBits = 0x5fd6eb50c7b537a9

// times returns base + factor·a. factor is a power of 2 with a sign.
func (a arc) times(factor float64, base pair64) float64 {
	y := fastSum2(base.hi, factor*a.hi)
	return y.hi + (y.lo + math.FMA(factor, a.rest, base.lo))
}

func asin(x float64) float64 {
	a := arcOf(math.Abs(x))
	if a.beyond {
		return math.Copysign(a.times(-2, pair64{halfPi1, halfPi2}), x)
	}
	return math.Copysign(a.times(1, pair64{}), x)
}

func acos(x float64) float64 {
	a := arcOf(math.Abs(x))
	switch {
	case !a.beyond:
		return a.times(math.Copysign(1, -x), pair64{halfPi1, halfPi2})
	case x > 0:
		return a.times(2, pair64{})
	}
	return a.times(-2, pair64{piHi, piLo})
}

// arcNarrow returns asin(t), near enough for a float32, for 0 ≤ t ≤ 1/2, and beyond half of
// acos(t).
func arcNarrow(t float64) (a float64, beyond bool) {
	z, s := float64(t*t), t
	if t > 0.5 {
		z = math.FMA(-0.5, t, 0.5)
		s, beyond = math.Sqrt(z), true
	}
	return math.FMA(float64(s*z), poly(z, asinPoly32[:]), s), beyond
}

// asinNarrow and acosNarrow are asin and acos of a float32.

func asinNarrow(x float64) float64 {
	a, beyond := arcNarrow(math.Abs(x))
	if beyond {
		a = halfPi1 - (a + a)
	}
	return math.Copysign(a, x)
}

func acosNarrow(x float64) float64 {
	a, beyond := arcNarrow(math.Abs(x))
	if beyond {
		a += a
	} else {
		a = halfPi1 - a
	}
	if math.Signbit(x) {
		return piHi - a
	}
	return a
}

// atanReduced returns atan(t) for |t| ≤ 1.
func atanReduced(t pair64) pair64 {
	z := float64(t.hi * t.hi)
	return pair64{t.hi, math.FMA(float64(t.hi*z), poly(z, atanPoly[:]), t.lo)}
}

// atanMax is where atan has become π/2.
var atanMax = 0x1p70

func atan(x float64) float64 {
	t := clamp(math.Abs(x), 0, atanMax)
	if t > 1 {
		return math.Copysign(turned(atanReduced(quotient2(1, t)), true, false), x)
	}
	return math.Copysign(turned(atanReduced(pair64{t, 0}), false, false), x)
}

// turned returns a, or π/2 - a if steep; then π less that if left.
func turned(a pair64, steep, left bool) float64 {
	var base pair64
	switch {
	case steep:
		base = pair64{halfPi1, halfPi2}
	case left:
		base = pair64{piHi, piLo}
	}
	if steep != left {
		a = pair64{-a.hi, -a.lo}
	}
	y := fastSum2(base.hi, a.hi)
	return y.hi + (y.lo + (base.lo + a.lo))
}

// Coordinates beyond these bounds are scaled, so that no quotient is beyond the range of floats.
var (
	planeMin = 0x1p-900
	planeMax = 0x1p900
)

// atan2 returns the angle of the point (x, y).
func atan2(y, x float64) float64 {
	low, high := math.Abs(y), math.Abs(x)
	steep := low > high
	if steep { // not NaN
		low, high = high, low
	}
	if !(high >= planeMin && high <= planeMax) {
		low, high = scalePlane(low, high)
	}
	return math.Copysign(turned(atanReduced(quotient2(low, high)), steep, math.Signbit(x)), y)
}

// scalePlane returns numbers with the same quotient that neither overflow nor underflow. The
// quotient of two infinities is 1, that of two zeros 0.
func scalePlane(low, high float64) (l, h float64) {
	switch {
	case high == 0:
		return low, 1
	case high < planeMin:
		return low * planeMax, high * planeMax
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		return 1, 1
	case math.IsInf(high, 0):
		return low * 0, 1
	}
	return low * planeMin, high * planeMin
}

// atanUnit returns atan(t), near enough for a float32, for |t| ≤ 1.
func atanUnit(t float64) float64 {
	z := float64(t * t)
	return math.FMA(float64(t*z), poly(z, atanPoly32[:]), t)
}

// atanNarrow is atan of a float32.
func atanNarrow(x float64) float64 {
	t := math.Abs(x)
	if t > 1 {
		return math.Copysign(halfPi1-atanUnit(1/t), x)
	}
	return math.Copysign(atanUnit(t), x)
}

// Beyond these bounds are only 0 and infinity, of which they make numbers with a quotient.
var (
	angleMin = 0x1p-300
	angleMax = 0x1p300
)

// atan2Narrow is atan2 of float32s.
func atan2Narrow(y, x float64) float64 {
	low, high := clamp(math.Abs(x), 0, angleMax), clamp(math.Abs(y), 0, angleMax)
	steep := high > low
	if !steep { // or NaN
		low, high = high, low
	}
	a := atanUnit(low / clamp(high, angleMin, angleMax))
	if steep {
		a = halfPi1 - a
	}
	if math.Signbit(x) {
		a = piHi - a
	}
	return math.Copysign(a, y)
}
