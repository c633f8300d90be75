package kernel

import "math"

// The inverse functions are Kahan's, "Branch Cuts for Complex Elementary Functions" (1987), with
// roots of 1 + z and of 1 - z, and logarithms for numbers so large that 1 is nothing beside them.

// huge reports whether 1 is nothing beside x, nor beside its square.
func (x pair[F]) huge() bool { return max(math.Abs(float64(x.re)), math.Abs(float64(x.im))) > 0x1p500 }

func complexAsin(z complexPair) complexPair {
	if z.im != z.im && math.IsInf(z.re, 0) {
		return complexPair{z.im, math.Inf(1)} // the sign of NaN says nothing
	}
	return complexAsinh(z.timesI()).overI()
}

func complexAtan(z complexPair) complexPair {
	if z.im != z.im && math.IsInf(z.re, 0) {
		return complexPair{math.Copysign(math.Pi/2, z.re), 0} // the sign of NaN says nothing
	}
	return complexAtanh(z.timesI()).overI()
}

func complexAcos(z complexPair) complexPair {
	switch {
	case !z.finite():
		return acosSpecial(z)
	case z.huge():
		return complexPair{atan2(math.Abs(z.im), z.re), math.Copysign(logAbs(z.re, z.im)+math.Ln2, -z.im)}
	}
	r, s := complexSqrt(complexPair{1 - z.re, -z.im}), complexSqrt(complexPair{1 + z.re, z.im})
	return complexPair{2 * atan2(r.re, s.re), asinh(float64(s.re*r.im) - float64(s.im*r.re))}
}

func complexAcosh(z complexPair) complexPair {
	switch {
	case z.re == 0 && z.im != z.im:
		return complexPair{z.im, math.Pi / 2}
	case !z.finite():
		return acoshSpecial(z)
	case z.huge():
		return complexPair{logAbs(z.re, z.im) + math.Ln2, atan2(z.im, z.re)}
	}
	r, s := complexSqrt(complexPair{z.re - 1, z.im}), complexSqrt(complexPair{z.re + 1, z.im})
	return complexPair{asinh(float64(r.re*s.re) + float64(r.im*s.im)), 2 * atan2(r.im, s.re)}
}

func complexAsinh(z complexPair) complexPair {
	switch {
	case !z.finite():
		return asinhSpecial(z)
	case z.huge():
		return complexPair{math.Copysign(logAbs(z.re, z.im)+math.Ln2, z.re), atan2(z.im, math.Abs(z.re))}
	}
	r, s := complexSqrt(complexPair{1 + z.im, -z.re}), complexSqrt(complexPair{1 - z.im, z.re})
	return complexPair{
		asinh(float64(r.re*s.im) - float64(s.re*r.im)),
		atan2(z.im, float64(r.re*s.re)-float64(r.im*s.im)),
	}
}

func complexAtanh(z complexPair) complexPair {
	x, y := math.Abs(z.re), z.im
	switch {
	case !z.finite():
		return atanhSpecial(z)
	case z.huge(): // 1/z is all that is left beside a right angle
		h := hypot(x*0x1p-600, y*0x1p-600)
		return complexPair{math.Copysign(x*0x1p-600/h/h*0x1p-600, z.re), math.Copysign(math.Pi/2, y)}
	case x == 1 && y == 0:
		return complexPair{math.Copysign(math.Inf(1), z.re), y}
	}

	if x == 1 && math.Abs(y) < 0x1p-500 { // its square is nothing
		return complexPair{math.Copysign((math.Ln2-log(math.Abs(y)))/2, z.re), math.Copysign(math.Pi/4, y)}
	}

	apart := 1 - x
	re := log1p(4*x/(float64(apart*apart)+float64(y*y))) / 4
	im := atan2(2*y, float64(apart*(1+x))-float64(y*y)) / 2

	return complexPair{math.Copysign(re, z.re), im}
}
