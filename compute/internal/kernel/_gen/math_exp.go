package main

import "github.com/mmcloughlin/avo/operand"

const (
	expTerms  = 10
	exp2Terms = 6 // for float32
)

func (d double) useExp() {
	d.useBits(oneBits)
	d.use("log2E", "roundBias", "ln2Hi", "ln2Lo")
	d.useTable("expPoly", expTerms)
}

func (d double) useExpNarrow() {
	d.useBits(oneBits)
	d.use("log2E", "roundBias")
	d.useTable("exp2Poly32", exp2Terms)
}

func (d double) reduceNarrow(x value) (biased, f value) {
	biased = d.plusProduct(d.copy(d.get("roundBias")), x, d.get("log2E"))
	n := d.sub(biased, d.get("roundBias"))
	d.VFMSUB231PD(d.get("log2E"), x, n) // x·log2E - n
	return biased, n
}

func (d double) power2Narrow(biased, f value) value {
	p := d.timesPlus(d.poly(f, "exp2Poly32", exp2Terms), f, d.bits(oneBits))
	return d.addBits(p, d.shiftLeft(biased, 52))
}

const exponentBias = 1023

// power2 is 2^(n+add).
func (d double) power2(biased value, add int) value {
	return d.shiftLeft(d.addBits(biased, d.bits(uint64(exponentBias+add))), 52)
}

func (d double) expm1Power(x value) value {
	biased, f := d.reduceNarrow(x)
	p := d.mul(d.poly(f, "exp2Poly32", exp2Terms), f)
	power := d.power2(biased, 0)
	return d.timesPlus(p, power, d.sub(power, d.bits(oneBits)))
}

// A reducedExp is x = n·ln 2 + r + rest.
type reducedExp struct{ biased, n, r, rest value }

// reduceExp takes over x.
func (d double) reduceExp(x value) reducedExp {
	biased := d.plusProduct(d.copy(d.get("roundBias")), x, d.get("log2E"))
	n := d.sub(biased, d.get("roundBias"))
	h := d.minusProduct(x, n, d.get("ln2Hi"))
	r := d.minusProduct(d.copy(h), n, d.get("ln2Lo"))
	return reducedExp{biased, n, r, d.minusProduct(d.sub(h, r), n, d.get("ln2Lo"))}
}

func (d double) expm1OfReduced(e reducedExp) value {
	return d.timesPlus(d.poly(e.r, "expPoly", expTerms), d.mul(e.r, e.r), e.rest)
}

// expOfReduced is the upper part of exp(r + rest).
func (d double) expOfReduced(e reducedExp) value {
	m := d.expm1OfReduced(e)
	one := d.inRegister(oneBits)
	hi := d.add(one, e.r)
	return d.add(hi, d.add(d.add(d.sub(one, hi), e.r), m))
}

// expPair is exp(r + rest).
func (d double) expPair(e reducedExp) pair {
	m := d.expm1OfReduced(e)
	p := d.fastSum2(d.inRegister(oneBits), e.r)
	return d.fastSum2(p.hi, d.add(p.lo, m))
}

// scale is p·2^n with one rounding.
func (d double) scale(p value, e reducedExp) value {
	if d.wide() {
		return d.op(d.VSCALEFPD, e.n, p)
	}
	half := d.op(d.VPSRAD, operand.U8(1), e.biased)
	rest := d.op(d.VPSUBD, half, e.biased)
	return d.mul(d.mul(p, d.power2(half, 0)), d.power2(rest, 0))
}

func (d double) exp() func(value) value {
	d.useExp()
	d.use("expMin", "expMax")
	return func(x value) value { return d.expOf(d.clamp(x, "expMin", "expMax")) }
}

// expOf takes over x, which exp has clamped.
func (d double) expOf(x value) value {
	e := d.reduceExp(x)
	return d.scale(d.expOfReduced(e), e)
}

func (d double) exp2() func(value) value {
	d.useExp()
	d.use("exp2Min", "exp2Max")
	return func(x value) value {
		x = d.clamp(x, "exp2Min", "exp2Max")
		biased := d.add(x, d.get("roundBias"))
		n := d.sub(biased, d.get("roundBias"))
		f := d.sub(x, n)
		r := d.mul(f, d.get("ln2Hi"))
		low := d.timesPlus(d.copy(f), d.get("ln2Hi"), d.xor(r, d.bits(signBits)))
		e := reducedExp{biased, n, r, d.plusProduct(low, f, d.get("ln2Lo"))}
		return d.scale(d.expOfReduced(e), e)
	}
}

func (d double) expm1() func(value) value {
	d.useExp()
	d.use("expm1Min", "expMax", "linear")
	d.useBits(signBits, halfBits, exponentBias-1)
	return func(x value) value {
		e := d.reduceExp(d.clamp(x, "expm1Min", "expMax"))
		m := d.expm1OfReduced(e)
		half := d.power2(e.biased, -1)
		above, r := d.sub(half, d.bits(halfBits)), d.mul(half, e.r)
		hi := d.add(above, r)
		lo := d.add(d.sub(above, hi), r)
		y := d.add(hi, d.timesPlus(m, half, lo))
		return d.choose(d.cmp(lessThan, d.abs(x), d.get("linear")), x, d.add(y, y))
	}
}

func (d double) sinhNarrow() func(value) value {
	d.useHalf("expMaxNarrow")
	d.useExpNarrow()
	d.useBits(exponentBias, halfBits)
	return func(x value) value {
		m := d.expm1Power(d.widen(d.atMostHalf(d.absHalf(x), "expMaxNarrow")))
		y := d.add(m, d.div(m, d.add(m, d.bits(oneBits))))
		return d.copySignHalf(d.round(d.mul(y, d.bits(halfBits))), x)
	}
}

func (d double) coshNarrow() func(value) value {
	d.useHalf("expMaxNarrow")
	d.useExpNarrow()
	d.useBits(halfBits)
	return func(x value) value {
		p := d.power2Narrow(d.reduceNarrow(d.widen(d.atMostHalf(d.absHalf(x), "expMaxNarrow"))))
		return d.round(d.mul(d.add(p, d.div(d.inRegister(oneBits), p)), d.bits(halfBits)))
	}
}

const sinhTerms = 8

func (d double) useExpBoth() {
	d.useExp()
	d.use("expHalfMax", "inverseMax")
	d.useBits(signBits, exponentBias)
}

// expBoth is p = e^x/2^n and e^-x/2^n for x ≥ 0, and e for the scale of half of them.
func (d double) expBoth(x value) (p pair, inverse value, half reducedExp) {
	e := d.reduceExp(d.less(d.get("expHalfMax"), x))
	one := d.inRegister(oneBits)
	p = d.fastSum2(one, e.r)
	p = d.fastSum2(p.hi, d.add(p.lo, d.expm1OfReduced(e)))
	power := d.shiftLeft(d.subBits(d.inRegister(exponentBias), d.addBits(e.biased, e.biased)), 52)
	inverse = d.mul(d.div(one, p.hi), power)
	inverse = d.keep(d.cmp(lessEqual, e.n, d.get("inverseMax")), inverse)
	return p, inverse, reducedExp{biased: d.sub(e.biased, one), n: d.sub(e.n, one)}
}

func (d double) sinh() func(value) value {
	d.useExpBoth()
	return func(x value) value {
		t := d.abs(x)
		z := d.mul(t, t)
		series := d.timesPlus(d.poly(z, "sinhPoly", sinhTerms), d.mul(t, z), t)
		p, inverse, half := d.expBoth(d.copy(t))
		y := d.scale(d.add(p.hi, d.sub(p.lo, inverse)), half)
		return d.copySign(d.choose(d.cmp(lessEqual, t, d.inRegister(oneBits)), series, y), x)
	}
}

func (d double) cosh() func(value) value {
	d.useExpBoth()
	return func(x value) value {
		p, inverse, half := d.expBoth(d.abs(x))
		s := d.fastSum2(p.hi, inverse)
		return d.scale(d.add(s.hi, d.add(s.lo, p.lo)), half)
	}
}

func (d double) twiceAbs(x value) value {
	t := d.abs(x)
	return d.add(t, t)
}

func (d double) tanh() func(value) value {
	d.useExp()
	d.use("tanhMax", "tanhLate")
	d.useBits(signBits, exponentBias)
	return func(x value) value {
		e := d.reduceExp(d.less(d.get("tanhMax"), d.twiceAbs(x)))
		m, power := d.expm1OfReduced(e), d.power2(e.biased, 0)
		r, one := d.mul(power, e.r), d.inRegister(oneBits)
		soon := d.keep(d.cmp(lessEqual, power, d.get("tanhLate")), one)
		late := d.sub(one, soon)
		above, below := d.fastSum2(d.sub(power, soon), r), d.fastSum2(d.add(power, soon), r)
		above = d.fastSum2(above.hi, d.sub(d.plusProduct(above.lo, power, m), late))
		below = d.fastSum2(below.hi, d.add(d.plusProduct(below.lo, power, m), late))
		return d.copySign(d.quotient(above, below), x)
	}
}

func (d double) sigmoid() func(value) value {
	d.useExp()
	d.use("expMin", "expMax")
	d.useBits(signBits)
	return func(x value) value {
		e := d.reduceExp(d.clamp(d.or(x, d.bits(signBits)), "expMin", "expMax"))
		p := d.expPair(e)
		p = pair{d.scale(p.hi, e), d.scale(p.lo, e)}
		one, zero := d.inRegister(oneBits), d.zero()
		below := d.fastSum2(one, p.hi)
		below.lo = d.add(below.lo, p.lo)
		positive := d.cmp(greaterEqual, x, zero)
		return d.quotient(pair{d.choose(positive, one, p.hi), d.choose(positive, zero, p.lo)}, below)
	}
}
