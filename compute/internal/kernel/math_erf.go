package kernel

import "math"

var (
	erfBound  = 0.46 // up to which erfc is 1 - erf
	erfcMax   = 28.0 // where erfc has become 0
	sqrtHalf  = pair64{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55}
	geluBound = 40.0 // where gelu has become 0 or x

	erfMaxNarrow  = 4.0 // likewise for float32
	erfcMaxNarrow = 10.25
	geluMaxNarrow = 14.5
	erfcScale     = 3.0                  // in the argument of erfcPoly32
	geluScale     = 0x1.0f876ccdf6cd9p+2 // 3·√2
)

// erfSeries returns erf(x) for |x| ≤ 1.
func erfSeries(x float64) float64 { return math.FMA(x, poly(float64(x*x), erfPoly[:]), x) }

// An erfcReduced is erfc(x) = value·2^n.
type erfcReduced struct {
	value  pair64
	biased float64 // n + roundBias
}

// reduceErfc returns erfc(x) for 0.46 ≤ x ≤ 28, where square is x². It is exp(-x²)/(1+2x) times a
// polynomial, after Shepherd and Laframboise, "Chebyshev approximation of (1+2x)exp(x²)erfc x in 0
// ≤ x < ∞" (1981).
func reduceErfc(x, square pair64) erfcReduced {
	t := (x.hi - 4) / (x.hi + 4)
	p := fastSum2(erfcHead.hi, math.FMA(t, poly(t, erfcPoly[:]), erfcHead.lo))
	below := sum2(1, 2*x.hi)
	below.lo += 2 * x.lo
	inverse := 1 / below.hi
	q := float64(p.hi * inverse)
	qLo := float64(math.FMA(-q, below.lo, math.FMA(-q, below.hi, p.hi)+p.lo) * inverse)
	e := reduceExp(-square.hi)
	u := fastSum2(1, e.r)
	rest := u.lo + e.expm1()
	rest = math.FMA(-square.lo, u.hi+rest, rest)
	v := mul2(u.hi, q)
	v.lo += math.FMA(u.hi, qLo, float64(rest*q))
	return erfcReduced{v, e.biased}
}

// erfcBeside returns erfc(x) for 1 ≤ x ≤ 28, near enough for sums with 1.
func erfcBeside(x float64) float64 {
	above, below := x+4, (x+x)+1
	inverse := 1 / float64(above*below)
	t := float64(float64((x-4)*below) * inverse)
	q := float64(math.FMA(t, poly(t, erfcPoly[:]), erfcHead.hi) * float64(above*inverse))
	square := mul2(x, x)
	e := reduceExp(-square.hi)
	u := fastSum2(1, e.r)
	return scale(float64((u.hi+(u.lo+(e.expm1()-square.lo)))*q), e.biased)
}

// erfcPositive returns erfc(x) for x ≥ 0.46.
func erfcPositive(x float64) float64 {
	if x > erfcMax {
		return 0
	}
	r := reduceErfc(pair64{x, 0}, mul2(x, x))
	return scale(r.value.value(), r.biased)
}

func erf(x float64) float64 {
	t := math.Abs(x)
	switch {
	case x != x:
		return x
	case t <= 1:
		return erfSeries(x)
	}
	return math.Copysign(1-erfcBeside(min(t, erfcMax)), x)
}

func erfc(x float64) float64 {
	switch {
	case x != x:
		return x
	case x >= erfBound:
		return erfcPositive(x)
	case x <= -erfBound:
		return 2 - erfcPositive(-x)
	}
	return 1 - erfSeries(x)
}

// gelu returns x/2·erfc(-x/√2), the Gaussian error linear unit of Hendrycks and Gimpel (2016), in
// its exact form.
func gelu(x float64) float64 {
	u := mul2(math.Abs(x), sqrtHalf.hi)
	u.lo = math.FMA(math.Abs(x), sqrtHalf.lo, u.lo)

	half := 0.5 * x
	switch {
	case x != x, x > geluBound:
		return x
	case x < -geluBound:
		return math.Copysign(0, x)
	case u.hi <= erfBound:
		return math.Copysign(geluSeries(half, u, math.Float64bits(x)>>63), x)
	}

	r := reduceErfc(u, mul2(x, half))
	if x < 0 {
		return scale(math.FMA(half, r.value.hi, float64(half*r.value.lo)), r.biased)
	}
	return math.FMA(-half, scale(r.value.value(), r.biased), x)
}

// geluSeries returns half·(1 + erf(u)), u negated if negative is 1. What is small beside 1 + u is
// added last.
func geluSeries(half float64, u pair64, negative uint64) float64 {
	hi := flip(u.hi, negative)
	sum := fastSum2(1, hi)
	rest := sum.lo + math.FMA(hi, poly(float64(hi*hi), erfPoly[:]), flip(u.lo, negative))
	return math.FMA(half, sum.hi, float64(half*rest))
}

// erfNarrow is erf of a float32: 1 - e^(log erfc(x)).
func erfNarrow(x float64) float64 {
	t := clamp(math.Abs(x), 0, erfMaxNarrow)
	return math.Copysign(expm1Power(float64(t*poly(t, erfPoly32[:]))), x)
}

// erfcOfScaled returns erfc(t), near enough for a float32, for 0 ≤ t ≤ 10.3, where x is a multiple
// of t, scale the same multiple of 3 and square t².
func erfcOfScaled(x, scale, square float64) float64 {
	u := scale / (scale + x)
	p := float64(poly(u, erfcPoly32[:]) * u)
	biased, f := reduceNarrow(-square)
	return float64(p * power2Narrow(biased, f))
}

// erfcNarrow is erfc of a float32.
func erfcNarrow(x float64) float64 {
	t := clamp(math.Abs(x), 0, erfcMaxNarrow)
	y := erfcOfScaled(t, erfcScale, float64(t*t))
	if math.Signbit(x) {
		return 2 - y
	}
	return y
}

// geluNarrow is gelu of a float32: the positive part of x less what both signs have in common.
func geluNarrow(x float64) float64 {
	t := clamp(math.Abs(x), 0, geluMaxNarrow)
	half := 0.5 * t
	rest := float64(half * erfcOfScaled(t, geluScale, float64(half*t)))
	if x < 0 {
		return 0 - rest
	}
	return x - rest
}

// sigmoid returns 1/(1 + e^-x), with e^-|x| in two parts.
func sigmoid(x float64) float64 {
	e := reduceExp(clamp(-math.Abs(x), expMin, expMax))
	p := e.exp()
	p = pair64{float64(scale(p.hi, e.biased)), float64(scale(p.lo, e.biased))}
	below := fastSum2(1, p.hi)
	below.lo += p.lo
	if x >= 0 {
		p = pair64{1, 0}
	}
	return p.div(below).value()
}
