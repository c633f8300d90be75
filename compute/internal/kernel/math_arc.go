package kernel

import "math"

var (
	piHi = 0x1.921fb54442d18p1
	piLo = 0x1.1a62633145c07p-53
)

// arcSeries returns asin(t) - t for |t| ≤ 1/2.
func arcSeries(t float64) float64 {
	z := float64(t * t)
	return float64(float64(t*z) * poly(z, asinPoly[:]))
}

// asin and acos take an |x| > 1/2 to √((1-|x|)/2) ≤ 1/2, as fdlibm does.

func asin(x float64) float64 {
	t := math.Abs(x)
	switch {
	case !(t <= 1):
		return math.NaN()
	case t <= 0.5:
		return x + arcSeries(x)
	}
	s := pair64{(1 - t) / 2, 0}.sqrt()
	rest := math.FMA(-2, s.lo+arcSeries(s.hi), halfPi2)
	y := fastSum2(halfPi1, -2*s.hi)
	return math.Copysign(y.hi+(y.lo+rest), x)
}

func acos(x float64) float64 {
	t := math.Abs(x)
	switch {
	case !(t <= 1):
		return math.NaN()
	case t <= 0.5:
		y := fastSum2(halfPi1, -x)
		return y.hi + (y.lo + (halfPi2 - arcSeries(x)))
	}
	s := pair64{(1 - t) / 2, 0}.sqrt()
	rest := s.lo + arcSeries(s.hi)
	if x > 0 {
		return 2 * (s.hi + rest)
	}
	y := fastSum2(piHi, -2*s.hi)
	return y.hi + (y.lo + math.FMA(-2, rest, piLo))
}

// arcNarrow returns asin(t), near enough for a float32, for 0 ≤ t ≤ 1/2, and beyond half of acos(t).
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

// An arcStep is a c whose atan is known in two parts: for t up to bound, atan(t) is taken from that of
// (t-c)/(1+c·t). The steps are fdlibm's.
type arcStep struct {
	bound, c float64
	atan     pair64
}

var arcSteps = [...]arcStep{
	{7. / 16, 0, pair64{}},
	{11. / 16, 0.5, pair64{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}},
	{19. / 16, 1, pair64{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}},
	{39. / 16, 1.5, pair64{0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56}},
}

// atanPair returns atan(t) for t ≥ 0, where t.lo may be 0.
func atanPair(t pair64) pair64 {
	for _, s := range arcSteps {
		if t.hi <= s.bound {
			below := sum2(t.hi, -s.c)
			below.lo += t.lo
			return s.atan.add(atanReduced(below.div(pair64{1, 0}.plus(mul2(s.c, t.hi)))))
		}
	}
	if t.hi > 0x1p64 {
		return pair64{halfPi1, halfPi2}
	}
	return pair64{halfPi1, halfPi2}.add(atanReduced(pair64{-1, 0}.div(t)))
}

// atanReduced returns atan(t) for |t| ≤ 7/16.
func atanReduced(t pair64) pair64 {
	z := float64(t.hi * t.hi)
	return pair64{t.hi, math.FMA(float64(t.hi*z), poly(z, atanPoly[:]), t.lo)}
}

func atan(x float64) float64 {
	if x != x {
		return x
	}
	return math.Copysign(atanPair(pair64{math.Abs(x), 0}).value(), x)
}

// atan2 returns the angle of the point (x, y).
func atan2(y, x float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	return math.Copysign(angle(math.Abs(y), x), y)
}

// angle is atan2 for y ≥ 0.
func angle(y, x float64) float64 {
	t := math.Abs(x)
	switch {
	case y == 0 && t == 0, math.IsInf(y, 0) && math.IsInf(t, 0):
		return cornerAngle(y != 0, math.Signbit(x))
	case y > t*0x1p70 || math.IsInf(y, 0) || t == 0: // the product may be infinite
		return halfPi1
	case y < t*0x1p-70 || y == 0 || math.IsInf(t, 0):
		if math.Signbit(x) {
			return piHi
		}
		return y / t
	}
	a := atanPair(ratio(y, t))
	if math.Signbit(x) {
		a = pair64{piHi, piLo}.add(pair64{-a.hi, -a.lo})
	}
	return a.value()
}

// cornerAngle is the angle of points whose coordinates are both 0 or both infinite.
func cornerAngle(infinite, left bool) float64 {
	switch {
	case infinite && left:
		return 0x1.2d97c7f3321d2p1 // 3π/4
	case infinite:
		return halfPi1 / 2
	case left:
		return piHi
	}
	return 0
}

// ratio returns y/x for positive finite numbers of which none is more than 2^70 times the other.
func ratio(y, x float64) pair64 {
	const huge, tiny = 0x1p900, 0x1p-900
	switch {
	case max(x, y) > huge:
		x, y = x*tiny, y*tiny
	case min(x, y) < tiny:
		x, y = x*huge, y*huge
	}
	return pair64{y, 0}.div(pair64{x, 0})
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
