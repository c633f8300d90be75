package kernel

import "math"

// The functions of this file are those of numbers that are not finite. They return what package
// math/cmplx does, which follows Annex G of C, but for a zero that would have the sign of a NaN: it
// is positive.

// unknown is both parts NaN.
func unknown() complexPair { return complexPair{math.NaN(), math.NaN()} }

// zeroLike returns 0 with the sign of x.
func zeroLike(x float64) float64 {
	if x != x {
		return 0
	}
	return math.Copysign(0, x)
}

func sqrtSpecial(z complexPair) complexPair {
	switch {
	case math.IsInf(z.im, 0):
		return complexPair{math.Inf(1), z.im}
	case math.IsInf(z.re, 1) && z.im != z.im:
		return z
	case math.IsInf(z.re, 1):
		return complexPair{z.re, zeroLike(z.im)}
	case math.IsInf(z.re, -1) && z.im != z.im:
		return complexPair{z.im, math.Inf(1)}
	case math.IsInf(z.re, -1):
		return complexPair{0, math.Copysign(z.re, z.im)}
	}
	return unknown()
}

func expSpecial(z complexPair) complexPair {
	switch {
	case z.im == 0:
		return complexPair{exp(z.re), z.im}
	case math.IsInf(z.re, -1) && !finite(z.im):
		return complexPair{0, zeroLike(z.im)}
	case math.IsInf(z.re, 1) && !finite(z.im):
		return complexPair{z.re, math.NaN()}
	case math.IsInf(z.re, 0):
		return complexPair{cos(z.im), sin(z.im)}.scaled(exp(z.re))
	}
	return unknown()
}

func sinhSpecial(z complexPair) complexPair {
	switch {
	case z.im == 0:
		return z
	case (z.re == 0 || math.IsInf(z.re, 0)) && !finite(z.im):
		return complexPair{z.re, math.NaN()}
	case math.IsInf(z.re, 0):
		return complexPair{z.re * cos(z.im), math.Abs(z.re) * sin(z.im)}
	}
	return unknown()
}

func coshSpecial(z complexPair) complexPair {
	switch {
	case z.im == 0 && z.re != z.re:
		return z
	case z.im == 0:
		return complexPair{math.Inf(1), z.im * math.Copysign(0, z.re)}
	case math.IsInf(z.re, 0) && !finite(z.im):
		return complexPair{math.Inf(1), math.NaN()}
	case math.IsInf(z.re, 0):
		return complexPair{math.Abs(z.re) * cos(z.im), z.re * sin(z.im)}
	}
	return unknown()
}

func tanhSpecial(z complexPair) complexPair {
	switch {
	case math.IsInf(z.re, 0) && !finite(z.im):
		return complexPair{math.Copysign(1, z.re), zeroLike(z.im)}
	case math.IsInf(z.re, 0):
		return complexPair{math.Copysign(1, z.re), zeroLike(sin(2 * z.im))}
	case z.im == 0:
		return z
	}
	return unknown()
}

func asinSpecial(z complexPair) complexPair {
	switch {
	case math.IsInf(z.im, 0) && z.re != z.re:
		return z
	case math.IsInf(z.im, 0) && math.IsInf(z.re, 0):
		return complexPair{math.Copysign(math.Pi/4, z.re), z.im}
	case math.IsInf(z.im, 0):
		return complexPair{math.Copysign(0, z.re), z.im}
	case math.IsInf(z.re, 0) && z.im != z.im:
		return complexPair{z.im, z.re}
	case math.IsInf(z.re, 0):
		return complexPair{math.Copysign(math.Pi/2, z.re), math.Copysign(z.re, z.im)}
	case z.re == 0:
		return z
	}
	return unknown()
}

func acosSpecial(z complexPair) complexPair {
	w := asinSpecial(z)
	return complexPair{math.Pi/2 - w.re, -w.im}
}

func acoshSpecial(z complexPair) complexPair {
	w := acosSpecial(z)
	if w.im <= 0 {
		return w.timesI()
	}
	return w.overI()
}

func asinhSpecial(z complexPair) complexPair {
	switch {
	case math.IsInf(z.re, 0) && math.IsInf(z.im, 0):
		return complexPair{z.re, math.Copysign(math.Pi/4, z.im)}
	case math.IsInf(z.re, 0) && z.im != z.im:
		return z
	case math.IsInf(z.re, 0):
		return complexPair{z.re, math.Copysign(0, z.im)}
	case math.IsInf(z.im, 0) && z.re != z.re:
		return complexPair{z.im, z.re}
	case math.IsInf(z.im, 0):
		return complexPair{math.Copysign(z.im, z.re), math.Copysign(math.Pi/2, z.im)}
	case z.im == 0:
		return z
	}
	return unknown()
}

func atanhSpecial(z complexPair) complexPair {
	switch {
	case z.re == 0 && z.im != z.im:
		return z
	case math.IsInf(z.re, 0) && z.im != z.im:
		return complexPair{math.Copysign(0, z.re), z.im}
	case math.IsInf(z.re, 0) || math.IsInf(z.im, 0):
		return complexPair{zeroLike(z.re), math.Copysign(math.Pi/2, z.im)}
	}
	return unknown()
}
