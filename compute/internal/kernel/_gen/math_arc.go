package main

const (
	asinTermsNarrow = 5
	atanTermsNarrow = 9
)

func (d double) useAtanNarrow() {
	d.useBits(oneBits, signBits)
	d.use("halfPi1")
	d.useTable("atanPoly32", atanTermsNarrow)
}

// atanUnit is atan(t) for |t| ≤ 1.
func (d double) atanUnit(t value) value {
	z := d.mul(t, t)
	return d.timesPlus(d.poly(z, "atanPoly32", atanTermsNarrow), d.mul(t, z), t)
}

// complement is π/2 - a where mask is set.
func (d double) complement(mask, a value) value {
	return d.choose(mask, d.sub(d.get("halfPi1"), a), a)
}

func (d double) atanNarrow() func(value) value {
	d.useAtanNarrow()
	return func(x value) value {
		t, one := d.widen(d.absHalf(x)), d.inRegister(oneBits)
		steep := d.cmp(greaterThan, t, one)
		a := d.atanUnit(d.choose(steep, d.div(one, t), t))
		return d.copySignHalf(d.round(d.complement(steep, a)), x)
	}
}

func (d double) atan2Narrow() func(y, x value) value {
	d.useAtanNarrow()
	d.use("angleMin", "angleMax", "piHi")
	return func(y32, x32 value) value {
		y := d.less(d.get("angleMax"), d.widen(d.absHalf(y32)))
		x := d.less(d.get("angleMax"), d.widen(d.absHalf(x32)))
		steep := d.cmp(greaterThan, y, x)
		a := d.atanUnit(d.div(d.less(x, y), d.more(d.get("angleMin"), d.more(y, x))))
		a = d.complement(steep, a)
		a = d.choose(d.negative(d.widen(x32)), d.sub(d.get("piHi"), a), a)
		return d.copySignHalf(d.round(a), y32)
	}
}

func (d double) useArcNarrow() {
	d.useBits(oneBits, halfBits)
	d.use("halfPi1", "piHi")
	d.useTable("asinPoly32", asinTermsNarrow)
}

// arcNarrow is asin(t) for 0 ≤ t ≤ 1/2, and half of acos(t) where beyond is set.
func (d double) arcNarrow(t value) (a, beyond value) {
	half := d.inRegister(halfBits)
	beyond = d.cmp(greaterThan, t, half)
	z := d.choose(beyond, d.minusProduct(d.copy(half), t, half), d.mul(t, t))
	s := d.choose(beyond, d.sqrt(z), t)
	return d.timesPlus(d.poly(z, "asinPoly32", asinTermsNarrow), d.mul(s, z), s), beyond
}

func (d double) asinNarrow() func(value) value {
	d.useArcNarrow()
	return func(x value) value {
		a, beyond := d.arcNarrow(d.widen(d.absHalf(x)))
		a = d.choose(beyond, d.sub(d.get("halfPi1"), d.add(a, a)), a)
		return d.copySignHalf(d.round(a), x)
	}
}

func (d double) acosNarrow() func(value) value {
	d.useArcNarrow()
	return func(x32 value) value {
		x := d.widen(x32)
		a, beyond := d.arcNarrow(d.widen(d.absHalf(x32)))
		a = d.choose(beyond, d.add(a, a), d.sub(d.get("halfPi1"), a))
		return d.round(d.choose(d.negative(x), d.sub(d.get("piHi"), a), a))
	}
}
