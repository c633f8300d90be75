package kernel

import "math"

// ln2Head + ln2Rest is ln 2 and log2Head10 + log2Rest10 is log10 2; products of the heads with
// exponents are exact. log2E.. and log10E.. are 1/ln 2 and 1/ln 10 in two parts.
var (
	ln2Head   = 0x1.62e42fefa4p-1
	ln2Rest   = -0x1.8432a1b0e2634p-43
	log2ELo   = 0x1.777d0ffda0d24p-56
	log10EHi  = 0x1.bcb7b1526e50ep-2
	log10ELo  = 0x1.95355baaafad3p-57
	log10Head = 0x1.34413509f8p-2
	log10Rest = -0x1.80433b83b532ap-44
)

// A split float is m·2^k with √½ ≤ m < √2.
type split struct{ k, m float64 }

// The numbers below make the parts of a float by integer arithmetic on its bits.
const (
	sqrtHalfBits  = 0x3fe6a09e667f3bcd
	oneBits       = 0x3ff0000000000000
	mantissaBits  = 1<<52 - 1
	twoTo52Bits   = 0x4330000000000000 // of 2^52, whose low bits are an integer
	smallestFloat = 0x1p-1022          // that is normal
)

// splitFloat splits a normal x > 0.
func splitFloat(x float64) split {
	b := math.Float64bits(x) + (oneBits - sqrtHalfBits)
	return split{
		k: math.Float64frombits(b>>52|twoTo52Bits) - (1<<52 + 1023),
		m: math.Float64frombits(b&mantissaBits + sqrtHalfBits),
	}
}

// splitAny splits an x > 0 that may be subnormal.
func splitAny(x float64) split {
	if x >= smallestFloat {
		return splitFloat(x)
	}
	s := splitFloat(x * (1 << 54))
	s.k -= 54
	return s
}

// logSpecial returns what logarithms make of an x that is not positive and finite, and whether it
// is one.
func logSpecial(x float64) (y float64, special bool) {
	switch {
	case x == 0:
		return math.Inf(-1), true
	case x < 0:
		return math.NaN(), true
	}
	return x, !(x <= math.MaxFloat64)
}

// A logReduced holds log(1+f) = f - (square - correction), square = f²/2. The method is that of
// fdlibm's e_log.c: log(1+f) = 2·atanh(s), s = f/(2+f), arranged so that f and its square stand
// first.
type logReduced struct{ f, square, correction float64 }

func reduceLog(f float64) logReduced {
	s := f / (2 + f)
	z := float64(s * s)
	square := float64(0.5*f) * f
	return logReduced{f, square, float64(s * math.FMA(z, poly(z, atanhPoly[:]), square))}
}

// plus returns k·ln 2 + log(1+f) + tail, where tail is much less than the other two.
func (l logReduced) plus(k, tail float64) float64 {
	rest := l.correction + math.FMA(k, ln2Rest, tail)
	return float64(k*ln2Head) - ((l.square - rest) - l.f)
}

// pair returns log(1+f).
func (l logReduced) pair() pair64 {
	p := fastSum2(l.f, -l.square)
	return pair64{p.hi, p.lo + l.correction}
}

func log(x float64) float64 {
	if y, special := logSpecial(x); special {
		return y
	}
	s := splitAny(x)
	return reduceLog(s.m-1).plus(s.k, 0)
}

// logMantissa returns log(m) for √½ ≤ m < √2, near enough for a float32.
func logMantissa(m float64) float64 {
	f := m - 1
	return math.FMA(float64(f*f), poly(f, logPoly32[:]), f)
}

// scaled returns head + rest·l times the number 1/base = hi + lo, where head is an integer multiple
// that is 0 or larger than log(1+f).
func (l logReduced) scaled(hi, lo, head, rest float64) float64 {
	p := l.pair()
	q := float64(p.hi * hi)
	tail := math.FMA(p.hi, hi, -q) + math.FMA(p.hi, lo, math.FMA(p.lo, hi, rest))
	y := fastSum2(head, q)
	return y.hi + (y.lo + tail)
}

func log2(x float64) float64 {
	if y, special := logSpecial(x); special {
		return y
	}
	s := splitAny(x)
	return reduceLog(s.m-1).scaled(log2E, log2ELo, s.k, 0)
}

func log10(x float64) float64 {
	if y, special := logSpecial(x); special {
		return y
	}
	s := splitAny(x)
	return reduceLog(s.m-1).scaled(log10EHi, log10ELo, float64(s.k*log10Head), float64(s.k*log10Rest))
}

// log1p returns log(1+x), of the sum in two parts: near 1 these make x again.
func log1p(x float64) float64 {
	u := sum2(1, x)
	if y, special := logSpecial(u.hi); special {
		return y
	}
	return math.Copysign(logSum(u, 0), x)
}

// logSum returns log(u·2^k), u > 0 and normal, with few errors of log(u) itself where that is small
// and u.lo is small beside it.
func logSum(u pair64, k float64) float64 {
	s := splitFloat(u.hi)
	f := pair64{s.m - 1, u.lo}
	if s.k == 0 {
		f = fastSum2(f.hi, u.lo)
	}
	return reduceLog(f.hi).plus(s.k+k, f.lo/u.hi)
}
