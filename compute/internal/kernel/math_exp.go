package kernel

import "math"

// What the functions here and the assembly divide their arguments by. ln2Hi + ln2Lo and log2E.hi +
// log2E.lo are longer than a float; log2 10 is too, its first part short enough for products with
// exponents to be exact.
var (
	ln2Hi = 0x1.62e42fefa39efp-1
	ln2Lo = 0x1.abc9e3b39803fp-56
	log2E = 0x1.71547652b82fep0

	// roundBias added to a small float rounds it to an integer, which is then in the low bits of
	// the sum.
	roundBias = 0x1.8p52
)

// A reduced is x = n·ln 2 + r + rest with |r| ≤ ln 2/2, for an x that exp takes.
type reduced struct {
	biased  float64 // n + roundBias
	r, rest float64
}

// reduceExp reduces an |x| < 2^20.
func reduceExp(x float64) reduced {
	biased := math.FMA(x, log2E, roundBias)
	n := biased - roundBias
	h := math.FMA(-n, ln2Hi, x) // exact
	r := math.FMA(-n, ln2Lo, h)
	return reduced{biased, r, math.FMA(-n, ln2Lo, h-r)}
}

// reduceExpPair reduces x in two parts.
func reduceExpPair(x pair64) reduced {
	e := reduceExp(x.hi)
	s := sum2(e.r, e.rest+x.lo)
	return reduced{e.biased, s.hi, s.lo}
}

// expm1 returns exp(r + rest) - 1 - r. Rounding costs little of it beside r.
func (e reduced) expm1() float64 {
	return math.FMA(float64(e.r*e.r), poly(e.r, expPoly[:]), e.rest)
}

// exp returns exp(r + rest).
func (e reduced) exp() pair64 {
	p := fastSum2(1, e.r)
	return fastSum2(p.hi, p.lo+e.expm1())
}

// power2 returns 2^(n+add), where biased is n + roundBias, for a result that is a normal float.
func power2(biased float64, add int64) float64 {
	return math.Float64frombits((math.Float64bits(biased) + uint64(1023+add)) << 52)
}

// scale returns p·2^n with one rounding, where biased is n + roundBias, |n| < 2044 and p is about
// 1.
func scale(p, biased float64) float64 {
	n := int64(int32(math.Float64bits(biased)))
	return float64(p*pow2(n>>1)) * pow2(n-n>>1)
}

// pow2 returns 2^n for |n| < 1023.
func pow2(n int64) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// clamp returns x between lo and hi, NaN of NaN.
func clamp[T float](x, lo, hi T) T {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

// Beyond these bounds exp is 0 or infinite.
var (
	expMin       = -746.0
	expMax       = 710.0
	expMinNarrow = -110.0 // of float32
	expMaxNarrow = 110.0
)

// exp returns e^x, by reduction to |r| ≤ ln 2/2 as in Tang, "Table-driven implementation of the
// exponential function in IEEE floating-point arithmetic" (1989), and a polynomial instead of the
// table.
func exp(x float64) float64 {
	e := reduceExp(clamp(x, expMin, expMax))
	return scale(e.exp().value(), e.biased)
}

// expNarrow returns e^x, near enough for a float32.
func expNarrow(x float64) float64 {
	biased, f := reduceNarrow(clamp(x, expMinNarrow, expMaxNarrow))
	return power2Narrow(biased, f)
}

// reduceNarrow returns n + roundBias and f with e^x = 2^(n+f), |f| ≤ 1/2.
func reduceNarrow(x float64) (biased, f float64) {
	biased = math.FMA(x, log2E, roundBias)
	return biased, math.FMA(x, log2E, -(biased - roundBias))
}

// power2Narrow returns 2^(n+f).
func power2Narrow(biased, f float64) float64 {
	return shiftExponent(math.FMA(poly(f, exp2Poly32[:]), f, 1), biased)
}

// shiftExponent returns p·2^n, where biased is n + roundBias, p is normal or NaN and the result is
// normal.
func shiftExponent(p, biased float64) float64 {
	return math.Float64frombits(math.Float64bits(p) + math.Float64bits(biased)<<52)
}

var (
	exp2Min = -1080.0
	exp2Max = 1025.0
)

func exp2(x float64) float64 {
	x = clamp(x, exp2Min, exp2Max)
	biased := x + roundBias
	f := x - (biased - roundBias)
	r := float64(f * ln2Hi)
	e := reduced{biased, r, math.FMA(f, ln2Lo, math.FMA(f, ln2Hi, -r))}
	return scale(e.exp().value(), biased)
}

var (
	expm1Min = -40.0   // where expm1 has become -1
	linear   = 0x1p-54 // below which expm1 and others return their argument
)

func expm1(x float64) float64 {
	if math.Abs(x) < linear {
		return x
	}
	e := reduceExp(clamp(x, expm1Min, expMax))
	half := power2(e.biased, -1) // of 2^n, which may be infinite
	p := fastSum2(half-0.5, float64(half*e.r))
	return 2 * (p.hi + math.FMA(half, e.expm1(), p.lo))
}

// expm1Power is expm1Narrow without bounds and without the sign of 0.
func expm1Power(x float64) float64 {
	biased, f := reduceNarrow(x)
	power := power2(biased, 0)
	return math.FMA(power, float64(poly(f, exp2Poly32[:])*f), power-1)
}
