package kernel

import "math"

// cbrt returns the cube root: with a = x/8^q in [1/√8, √8), an estimate of 1/∛a by a polynomial, a
// step that triples its correct bits, and a last one of Newton's for ∛a with the exact remainder.
func cbrt(x float64) float64 {
	if x == 0 || !finite(x) {
		return x
	}
	s := splitAny(math.Abs(x))
	biased := math.FMA(s.k, third, roundBias)
	e := math.FMA(-3, biased-roundBias, s.k) // -1, 0 or 1
	a := shiftExponent(s.m, e+roundBias)
	r := float64(poly(s.m, cbrtPoly[:]) * inverseRootOfPower(e))
	h := math.FMA(-float64(a*r), float64(r*r), 1)
	r = math.FMA(float64(r*h), math.FMA(h, twoNinths, third), r)
	rr := float64(r * r)
	t := float64(a * rr)
	square := mul2(t, t)
	rest := math.FMA(-square.hi, t, a) - float64(square.lo*t)
	return math.Copysign(shiftExponent(math.FMA(float64(rest*rr), third, t), biased), x)
}

// inverseRootOfPower returns 1/∛2^e for e of -1, 0 and 1.
func inverseRootOfPower(e float64) float64 {
	switch {
	case e < 0:
		return cbrtTwo
	case e > 0:
		return cbrtHalf
	}
	return 1
}

var (
	third     = 1. / 3
	twoNinths = 2. / 9
	cbrtTwo   = 0x1.428a2f98d728bp0
	cbrtHalf  = 0x1.965fea53d6e3dp-1
)

// cbrtNarrow is cbrt of a float32: 2^(log2(x)/3).
func cbrtNarrow(x float64) float64 {
	if x == 0 || !finite(x) {
		return x
	}
	s := splitFloat(math.Abs(x))
	l := float64(math.FMA(logMantissa(s.m), log2E, s.k) * third)
	biased := l + roundBias
	return math.Copysign(power2Narrow(biased, l-(biased-roundBias)), x)
}

// hypotNarrow is hypot of float32s, whose squares are float64s.
func hypotNarrow(x, y float64) float64 {
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Inf(1)
	}
	return math.Sqrt(float64(x*x) + float64(y*y))
}
