package kernel

import "math"

// pow returns x^y. Special values follow C99, F.9.4.4.
func pow(x, y float64) float64 {
	if z, special := powSpecial(x, y); special {
		return z
	}
	return flip(powPositive(math.Abs(x), y), signOfPow(x, y))
}

// Beyond these bounds the result is 0, 1 or infinite: exponents are taken no further, so that 0·∞
// never comes up.
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

// powSpecial returns x^y in simple cases: for y of 0, 1, 2 and -1, for x of 0, 1, -1 and infinity,
// for infinite y and NaNs, and for negative x with a y that is no integer. NumPy's squares and
// reciprocals have the same bits.
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
	e := reduceExp(p.hi)
	u := fastSum2(1, e.r)
	rest := u.lo + e.expm1()
	rest = math.FMA(u.hi+rest, math.FMA(y, l.lo, p.lo), rest)
	return scale(u.hi+rest, e.biased)
}

// logPair returns log(m·2^k) for √½ ≤ m.hi < √2, with an error of about 2^-64 of it: 2·atanh(s) as
// the sum of 2s and s·z·(2/3 + …), each in two parts.
func logPair(m pair64, k float64) pair64 {
	f, g := m.hi-1, m.hi+1 // f is exact

	gLo := (m.hi - (g - 1)) + m.lo
	inverse := 1 / g
	s := float64(f * inverse)
	sLo := float64(math.FMA(-s, gLo, math.FMA(-s, g, f)+m.lo) * inverse)

	z := mul2(s, s)
	z.lo = math.FMA(s+s, sLo, z.lo)

	t := fastSum2(atanhHead.hi, float64(z.hi*poly(z.hi, atanhTail[:])))
	t.lo += atanhHead.lo

	w := mul2(z.hi, t.hi)
	w.lo = math.FMA(z.lo, t.hi, math.FMA(z.hi, t.lo, w.lo))
	v := mul2(s, w.hi)
	v.lo = math.FMA(sLo, w.hi, math.FMA(s, w.lo, v.lo))

	sum := fastSum2(s+s, v.hi)
	head := fastSum2(float64(k*ln2Head), sum.hi)
	return pair64{head.hi, head.lo + math.FMA(k, ln2Rest, sum.lo+(v.lo+(sLo+sLo)))}
}

// logAddExp returns log(e^x + e^y): the larger plus log(1 + e^-|x-y|), both in two parts, since
// they may cancel. What is left then is off by less than 2^-57.
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
