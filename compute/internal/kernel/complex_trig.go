package kernel

import "math"

// The trigonometric functions are the hyperbolic ones of a z turned by 90 degrees.

func complexSin(z complexPair) complexPair { return complexSinh(z.timesI()).overI() }
func complexCos(z complexPair) complexPair { return complexCosh(z.timesI()) }
func complexTan(z complexPair) complexPair { return complexTanh(z.timesI()).overI() }

// bothHyperbolic returns cosh and sinh of x, both times scale, which is 1 unless they are too
// large.
func bothHyperbolic(x float64) (c, s, scale float64) {
	if math.Abs(x) < 708 {
		return cosh(x), sinh(x), 1
	}
	half := exp(math.Abs(x) / 2)
	return half / 2, math.Copysign(half/2, x), half
}

func complexSinh(z complexPair) complexPair {
	switch {
	case !z.finite():
		return sinhSpecial(z)
	case z.im == 0:
		return complexPair{sinh(z.re), z.im}
	}
	c, s, scale := bothHyperbolic(z.re)
	return complexPair{s * cos(z.im), c * sin(z.im)}.scaled(scale)
}

func complexCosh(z complexPair) complexPair {
	switch {
	case z.re == 0 && !z.finite():
		return complexPair{math.NaN(), 0}
	case !z.finite():
		return coshSpecial(z)
	case z.im == 0:
		return complexPair{cosh(z.re), math.Copysign(0, z.re) * z.im}
	}
	c, s, scale := bothHyperbolic(z.re)
	return complexPair{c * cos(z.im), s * sin(z.im)}.scaled(scale)
}

// complexTanh is Kahan's, "Branch Cuts for Complex Elementary Functions" (1987).
func complexTanh(z complexPair) complexPair {
	switch {
	case z.re == 0 && !z.finite():
		return complexPair{z.re, math.NaN()}
	case !z.finite():
		return tanhSpecial(z)
	case math.Abs(z.re) > 22:
		e := exp(-math.Abs(z.re))
		return complexPair{math.Copysign(1, z.re), 4 * sin(z.im) * cos(z.im) * e * e}
	}
	t, s := tan(z.im), sinh(z.re)
	beta := 1 + float64(t*t)
	denominator := 1 + float64(beta*s*s)
	return complexPair{beta * math.Sqrt(1+float64(s*s)) * s / denominator, t / denominator}
}
