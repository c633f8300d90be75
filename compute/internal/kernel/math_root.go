package kernel

import "math"

// cbrt returns the cube root: an estimate by a third of the exponent, two of Halley's steps, which triple the correct
// bits, and a last one of Newton's with the exact remainder.
func cbrt(x float64) float64 {
	if x == 0 || !finite(x) {
		return x
	}
	m, k := thirds(math.Abs(x))
	t := math.Float64frombits(math.Float64bits(m)/3 + 0x2a9f7893782da1ce)
	for range 2 {
		cube := float64(float64(t*t) * t)
		t = t * ((cube + 2*m) / (2*cube + m))
	}
	square := mul2(t, t)
	rest := math.FMA(-square.hi, t, m) - float64(square.lo*t)
	return math.Copysign((t+rest/(3*square.hi))*pow2(k), x)
}

// thirds returns m and k with x = m·2^(3k), √½ ≤ m < √32, for finite x > 0.
func thirds(x float64) (m float64, k int64) {
	s := splitAny(x)
	e := int64(s.k) + 1200
	return s.m * pow2(e%3), e/3 - 400
}

var third = 1. / 3

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
