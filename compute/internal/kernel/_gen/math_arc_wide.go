package main

const (
	atanTerms = 21
	asinTerms = 13

	halfInverseRootBits = 0x5fd6eb50c7b537a9
)

func (d double) useAtan() {
	d.useBits(oneBits, signBits)
	d.use("halfPi1", "halfPi2")
}

// atanReduced is atan(t) for |t| ≤ 1.
func (d double) atanReduced(t pair) pair {
	z := d.mul(t.hi, t.hi)
	return pair{t.hi, d.timesPlus(d.poly(z, "atanPoly", atanTerms), d.mul(t.hi, z), t.lo)}
}

// turned is a, or π/2 - a where steep is set; then π less that where left has its sign bit set, if
// it is not nil.
func (d double) turned(a pair, steep, left value) value {
	flip := d.keep(steep, d.inRegister(signBits))
	base := pair{d.keep(steep, d.get("halfPi1")), d.keep(steep, d.get("halfPi2"))}
	if left != nil {
		left = d.again(left)
		flip = d.xor(flip, d.and(left, d.bits(signBits)))
		negative, zero := d.negative(left), d.zero()
		base.hi = d.choose(steep, base.hi, d.choose(negative, d.get("piHi"), zero))
		base.lo = d.choose(steep, base.lo, d.choose(negative, d.get("piLo"), zero))
	}
	y := d.fastSum2(base.hi, d.xor(a.hi, flip))
	return d.add(y.hi, d.add(y.lo, d.add(base.lo, d.xor(a.lo, flip))))
}

func (d double) atan() func(value) value {
	d.useAtan()
	d.use("atanMax")
	return func(x value) value {
		t, one := d.less(d.get("atanMax"), d.abs(x)), d.inRegister(oneBits)
		steep := d.cmp(greaterThan, t, one)
		q := d.quotient2(d.choose(steep, one, t), d.choose(steep, t, one))
		return d.copySign(d.turned(d.atanReduced(q), steep, nil), x)
	}
}

func (d double) atan2() func(y, x value) value {
	d.useAtan()
	d.use("planeMin", "planeMax")
	return func(y, x value) value {
		a, b := d.abs(y), d.abs(x)
		y, x = d.park(y), d.park(x)
		steep := d.cmp(greaterThan, a, b)
		low, high := d.less(b, a), d.more(a, b)
		inside := d.both(d.cmp(greaterEqual, high, d.get("planeMin")), d.cmp(lessEqual, high, d.get("planeMax")))
		d.whereAny(d.not(inside), []value{low, high}, func(value) []value { return d.scalePlane(low, high) })
		r := d.turned(d.atanReduced(d.quotient2(low, high)), steep, x)
		return d.copySign(r, d.again(y))
	}
}

// scalePlane is numbers of the same quotient, 1 for those of infinities and 0 for those of zeros.
func (d double) scalePlane(low, high value) []value {
	infinite := d.inRegister(infinityBits)
	one := d.inRegister(oneBits)
	factor := d.choose(d.cmp(lessThan, high, d.get("planeMin")), d.get("planeMax"), d.get("planeMin"))
	l, h := d.mul(low, factor), d.mul(high, factor)
	endless := d.cmp(equal, high, infinite)
	l = d.choose(endless, d.mul(low, d.zero()), l)
	l = d.choose(d.both(endless, d.cmp(equal, low, infinite)), one, l)
	h = d.choose(endless, one, h)
	return []value{l, d.choose(d.cmp(equal, high, d.zero()), one, h)}
}

// An arc is asin(t) = hi + rest for 0 ≤ t ≤ 1/2, and half of acos(t) where beyond is set.
type arc struct{ hi, rest, beyond value }

func (d double) useArc() {
	d.useBits(oneBits, halfBits, signBits)
	d.use("halfPi1", "halfPi2")
}

func (d double) arcOf(t value) arc {
	half := d.inRegister(halfBits)
	beyond := d.cmp(greaterThan, t, half)
	far := d.minusProduct(d.copy(half), t, half)
	s := d.sqrt(far)
	inverse := d.subBits(d.inRegister(halfInverseRootBits), d.shiftRight(far, 1))
	rest := d.keep(beyond, d.mul(d.minusProduct(d.copy(far), s, s), inverse))
	z := d.choose(beyond, far, d.mul(t, t))
	hi := d.choose(beyond, s, t)
	return arc{hi, d.timesPlus(d.poly(z, "asinPoly", asinTerms), d.mul(hi, z), rest), beyond}
}

// times is base + factor·a.
func (a arc) times(d double, factor value, base pair) value {
	y := d.fastSum2(base.hi, d.mul(factor, a.hi))
	return d.add(y.hi, d.add(y.lo, d.timesPlus(factor, a.rest, base.lo)))
}

func (d double) asin() func(value) value {
	d.useArc()
	return func(x value) value {
		a := d.arcOf(d.abs(x))
		factor := d.choose(a.beyond, d.inRegister(minusTwoBits), d.inRegister(oneBits))
		base := pair{d.keep(a.beyond, d.get("halfPi1")), d.keep(a.beyond, d.get("halfPi2"))}
		return d.copySign(a.times(d, factor, base), x)
	}
}

const minusTwoBits = 0xc000000000000000

func (d double) acos() func(value) value {
	d.useArc()
	return func(x value) value {
		a := d.arcOf(d.abs(x))
		factor := d.choose(a.beyond, d.inRegister(twoBits), d.inRegister(minusOneBits))
		factor = d.xor(factor, d.and(x, d.bits(signBits)))
		negative, zero := d.negative(x), d.zero()
		hi, lo := d.choose(negative, d.get("piHi"), zero), d.choose(negative, d.get("piLo"), zero)
		base := pair{d.choose(a.beyond, hi, d.get("halfPi1")), d.choose(a.beyond, lo, d.get("halfPi2"))}
		return a.times(d, factor, base)
	}
}
