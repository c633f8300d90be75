package kernel

import "math"

var (
	erfBound  = 0.46 // up to which erfc is 1 - erf
	erfcMax   = 28.0 // where erfc has become 0
	sqrtHalf  = pair64{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55}
	geluBound = 40.0 // where gelu has become 0 or x
)

// erfSeries returns erf(x) for |x| ≤ 1.
func erfSeries(x float64) float64 { return math.FMA(x, poly(float64(x*x), erfPoly[:]), x) }

// An erfcReduced is erfc(x) = value·2^n.
type erfcReduced struct {
	value  pair64
	biased float64 // n + roundBias
}

// reduceErfc returns erfc(x) for 0.46 ≤ x ≤ 28, where square is x². It is exp(-x²)/(1+2x) times a polynomial, after
// Shepherd and Laframboise, "Chebyshev approximation of (1+2x)exp(x²)erfc x in 0 ≤ x < ∞" (1981).
func reduceErfc(x, square pair64) erfcReduced {
	t := (x.hi - 4) / (x.hi + 4)
	p := fastSum2(erfcHead.hi, math.FMA(t, poly(t, erfcPoly[:]), erfcHead.lo))
	e := reduceExpPair(pair64{-square.hi, -square.lo})
	below := sum2(1, 2*x.hi)
	below.lo += 2 * x.lo
	return erfcReduced{e.exp().mul(p.div(below)), e.biased}
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
	return math.Copysign(1-erfcPositive(t), x)
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

// gelu returns x/2·erfc(-x/√2), the Gaussian error linear unit of Hendrycks and Gimpel (2016), in its exact form.
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
		return math.Copysign(math.FMA(half, erfSeries(math.Copysign(u.hi, x)), half), x)
	}
	r := reduceErfc(u, mul2(x, half))
	if x < 0 {
		return scale(math.FMA(half, r.value.hi, float64(half*r.value.lo)), r.biased)
	}
	return math.FMA(-half, scale(r.value.value(), r.biased), x)
}

// sigmoid returns 1/(1 + e^-x).
func sigmoid(x float64) float64 {
	e := exp(-math.Abs(x))
	if x >= 0 {
		return pair64{1, 0}.div(fastSum2(1, e)).value()
	}
	return pair64{e, 0}.div(fastSum2(1, e)).value()
}

// sigmoidNarrow is sigmoid of a float32.
func sigmoidNarrow(x float64) float64 { return 1 / (1 + expNarrow(-x)) }
