package kernel

// ln2Head32 + ln2Rest32 is ln 2 and log10Head32 + log10Rest32 is log10 2; products of the heads
// with exponents are exact. log2E32 + log2ELo32 is 1/ln 2 and log10E32 + log10ELo32 is 1/ln 10.
var (
	ln2Head32   float32 = 0x1.62ep-1
	ln2Rest32   float32 = 0x1.0bfbe8p-15
	log2ELo32   float32 = 0x1.4ae0cp-26
	log10E32    float32 = 0x1.bcb7b2p-2
	log10ELo32  float32 = -0x1.5b235ep-27
	log10Head32 float32 = 0x1.344p-2
	log10Rest32 float32 = 0x1.3509f8p-18
)

// split32 returns k and f with x = 2^k·(1+f), √½ ≤ 1+f < √2.
func split32(x float32) (k, f float32) {
	s := splitFloat(float64(x))
	return float32(s.k), float32(s.m - 1)
}

// finishLog32 returns head + main + tail, where head is 0 or larger than main, and both are larger
// than tail.
func finishLog32(head, main, tail float32) float32 {
	s := fastSum32(head, main)
	return s.hi + (s.lo + tail)
}

func logSingle(x float32) float32 {
	if y, special := logSpecial(float64(x)); special {
		return float32(y)
	}
	k, f := split32(x)
	tail := fma32(float32(f*f), poly32(f, logPolySingle[:]), float32(k*ln2Rest32))
	return finishLog32(float32(k*ln2Head32), f, tail)
}

// times32 returns f·(hi + lo).
func times32(f, hi, lo float32) pair32 {
	p := float32(f * hi)
	return pair32{p, fma32(f, lo, fma32(f, hi, -p))}
}

func log2Single(x float32) float32 {
	if y, special := logSpecial(float64(x)); special {
		return float32(y)
	}
	k, f := split32(x)
	p := times32(f, log2E32, log2ELo32)
	return finishLog32(k, p.hi, fma32(f, float32(f*poly32(f, log2PolySingle[:])), p.lo))
}

func log10Single(x float32) float32 {
	if y, special := logSpecial(float64(x)); special {
		return float32(y)
	}
	k, f := split32(x)
	p := times32(f, log10E32, log10ELo32)
	tail := fma32(f, float32(f*poly32(f, log10PolySingle[:])), p.lo)
	return finishLog32(float32(k*log10Head32), p.hi, fma32(k, log10Rest32, tail))
}

// log1pSingle returns log(1+x). It takes the logarithm of u, which is 1+x rounded, and adds the
// rounding error of u to the fraction f of u. What that addition loses, divided by 1+f, is added in
// the end.
func log1pSingle(x float32) float32 {
	u := 1 + x
	if y, special := logSpecial(float64(u)); special {
		return float32(y)
	}
	k, f := split32(u)
	s := fastSum32(f, scale32(x-(u-1), -k))
	f = s.hi
	tail := fma32(k, ln2Rest32, fma32(-f, s.lo, s.lo))
	tail = fma32(float32(f*f), poly32(f, logPolySingle[:]), tail)
	return copySign32(finishLog32(float32(k*ln2Head32), f, tail), x)
}
