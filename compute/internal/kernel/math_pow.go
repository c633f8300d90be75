package kernel

import "math"

// pow returns x^y. Special values are those of C99, F.9.4.4.
func pow(x, y float64) float64 {
	if z, special := powSpecial(x, y); special {
		return z
	}
	return flip(powPositive(math.Abs(x), y), signOfPow(x, y))
}

// Beyond these bounds the result is 0, 1 or infinite: exponents are taken no further, so that 0·∞ never comes up.
var (
	powMin = -0x1p60
	powMax = 0x1p60
)

// powNarrow is pow of float32s.
func powNarrow(x, y float64) float64 {
	if z, special := powSpecial(x, y); special {
		return z
	}
	return flip(expNarrow(float64(clamp(y, powMin, powMax)*log(math.Abs(x)))), signOfPow(x, y))
}

// powSpecial returns x^y where it is simple: for y of 0, 1, 2 and -1, for x of 0, 1, -1 and infinity, for infinite y
// and NaNs, and for negative x with a y that is no integer. NumPy's squares and reciprocals have the same bits.
func powSpecial(x, y float64) (z float64, special bool) {
	switch {
	case y == 0 || x == 1:
		return 1, true
	case x != x || y != y:
		return math.NaN(), true
	case y == 1:
		return x, true
	case y == 2:
		return x * x, true
	case y == -1:
		return 1 / x, true
	case math.IsInf(y, 0):
		return powInfinite(math.Abs(x), y > 0), true
	case x == 0 || math.IsInf(x, 0):
		return flip(powOfLimit(x != 0, y > 0), signOfPow(x, y)), true
	case x < 0 && math.Trunc(y) != y:
		return math.NaN(), true
	}
	return 0, false
}

// powInfinite returns x^±∞ for x ≥ 0.
func powInfinite(x float64, positive bool) float64 {
	switch {
	case x == 1:
		return 1
	case (x > 1) == positive:
		return math.Inf(1)
	}
	return 0
}

// powOfLimit returns 0^y, or ∞^y.
func powOfLimit(infinite, positive bool) float64 {
	if infinite == positive {
		return math.Inf(1)
	}
	return 0
}

// signOfPow returns 1 if x is negative and y an odd integer, else 0.
func signOfPow(x, y float64) uint64 {
	if math.Trunc(y) != y || math.Abs(y) >= 1<<53 || int64(y)&1 == 0 {
		return 0
	}
	return math.Float64bits(x) >> 63
}

// powPositive returns x^y for positive finite x: e^(y·log x) with log x in two parts.
func powPositive(x, y float64) float64 {
	s := splitAny(x)
	l := logPair(pair64{s.m, 0}, s.k)
	p := mul2(y, l.hi)
	if !(math.Abs(p.hi) < -expMin) {
		return exp(p.hi)
	}
	p.lo = math.FMA(y, l.lo, p.lo)
	e := reduceExpPair(p)
	return scale(e.exp().value(), e.biased)
}

// logPair returns log(m·2^k) with an error of about 2^-68 of it. 2·atanh(s) is summed from its small terms up, of
// which the first three are kept in two parts.
func logPair(m pair64, k float64) pair64 {
	s := m.plus(pair64{-1, 0}).div(m.plus(pair64{1, 0}))
	z := s.mul(s)
	t := atanhHead1.add(mul2(z.hi, poly(z.hi, atanhTail[:])))
	t = atanhHead0.add(z.mul(t))
	t = pair64{2, 0}.add(z.mul(t))
	return pair64{float64(k * ln2Head), float64(k * ln2Rest)}.plus(s.mul(t))
}

// logAddExp returns log(e^x + e^y): the larger plus log(1 + e^-|x-y|), both in two parts, since they may cancel. What
// is left then is off by less than 2^-57.
func logAddExp(x, y float64) float64 {
	hi, lo := max(x, y), min(x, y)
	if !finite(hi) {
		return hi
	}
	d := sum2(lo, -hi)
	if d.hi < -60 {
		return hi + exp(d.hi)
	}
	e := reduceExpPair(d)
	p, power := e.exp(), power2(e.biased, 0)
	u := pair64{1, 0}.plus(pair64{p.hi * power, p.lo * power})
	if u.hi < 2*sqrtHalf.hi {
		return pair64{hi, 0}.plus(logPair(u, 0)).value()
	}
	return pair64{hi, 0}.plus(logPair(pair64{u.hi / 2, u.lo / 2}, 1)).value()
}
