package kernel

import "math"

// sinh and cosh are (e^|x| ∓ e^-|x|)/2.

func sinh(x float64) float64 {
	t := math.Abs(x)
	if t <= 1 {
		z := float64(x * x)
		return math.FMA(float64(x*z), poly(z, sinhPoly[:]), x)
	}
	p, inverse, biased := expBoth(t)
	return math.Copysign(scale(p.hi+(p.lo-inverse), biased-1), x)
}

func cosh(x float64) float64 {
	p, inverse, biased := expBoth(math.Abs(x))
	s := fastSum2(p.hi, inverse)
	return scale(s.hi+(s.lo+p.lo), biased-1)
}

// expBoth returns p = e^x/2^n and e^-x/2^n for x ≥ 0.
func expBoth(x float64) (p pair64, inverse, biased float64) {
	e := reduceExp(clamp(x, 0, expHalfMax))
	p = e.exp()
	inverse = 1 / p.hi
	n := int64(int32(math.Float64bits(e.biased)))
	if n > int64(inverseMax) {
		return p, 0, e.biased
	}
	return p, inverse * pow2(-2*n), e.biased
}

var (
	expHalfMax = 720.0 // where half of exp has become infinite
	inverseMax = 500.0 // the power of 2 from which e^-x is nothing beside e^x
)

// sinhNarrow and coshNarrow are sinh and cosh of a float32.

func sinhNarrow(x float64) float64 {
	m := expm1Power(clamp(math.Abs(x), 0, expMaxNarrow))
	return math.Copysign(0.5*(m+m/(m+1)), x)
}

func coshNarrow(x float64) float64 {
	p := expNarrow(math.Abs(x))
	return 0.5 * (p + 1/p)
}

// tanhMax is twice the x where tanh has become 1, and tanhLate a power of 2 in e^2x beside which 1
// is small.
var (
	tanhMax  = 44.0
	tanhLate = 0x1p30
)

// tanh is (e^2|x| - 1)/(e^2|x| + 1).
func tanh(x float64) float64 {
	e := reduceExp(clamp(2*math.Abs(x), 0, tanhMax))
	power, m := power2(e.biased, 0), e.expm1()
	r := float64(power * e.r)
	one, late := 1.0, 0.0
	if power > tanhLate {
		one, late = 0, 1
	}
	above, below := fastSum2(power-one, r), fastSum2(power+one, r)
	above = fastSum2(above.hi, math.FMA(power, m, above.lo)-late)
	below = fastSum2(below.hi, math.FMA(power, m, below.lo)+late)
	return math.Copysign(above.div(below).value(), x)
}

// The inverse functions are logarithms of sums s + c, where s and c are sinh and cosh of the
// result. Arguments beyond these bounds are the result or their double is the sum.
var (
	areaMin = 0x1p-30
	areaMax = 0x1p30
)

func asinh(x float64) float64 {
	t := math.Abs(x)
	switch {
	case t < areaMin || !finite(t):
		return x
	case t > areaMax:
		return math.Copysign(logSum(pair64{t, 0}, 1), x)
	}
	c := pair64{1, 0}.plus(mul2(t, t)).sqrt()
	return math.Copysign(logSum(pair64{t, 0}.plus(c), 0), x)
}

func acosh(x float64) float64 {
	switch {
	case !(x >= 1):
		return math.NaN()
	case math.IsInf(x, 0):
		return x
	case x > areaMax:
		return logSum(pair64{x, 0}, 1)
	}
	s := pair64{x - 1, 0}.mul(sum2(x, 1)).sqrt()
	return logSum(pair64{x, 0}.plus(s), 0)
}

// atanh is half the logarithm of (1+x)/(1-x).
func atanh(x float64) float64 {
	t := math.Abs(x)
	switch {
	case t < areaMin:
		return x
	case t == 1:
		return math.Copysign(math.Inf(1), x)
	case !(t < 1):
		return math.NaN()
	}
	return math.Copysign(0.5*logSum(fastSum2(1, t).div(fastSum2(1, -t)), 0), x)
}
