package main

const (
	erfTerms  = 13
	erfcTerms = 22

	fourBits = 0x4010000000000000
)

func (d double) useErf() {
	d.useBits(oneBits, signBits, fourBits)
	d.use("log2E", "roundBias", "ln2Hi", "ln2Lo")
}

// erfSeries is erf(x) for |x| ≤ 1.
func (d double) erfSeries(x value) value {
	return d.timesPlus(d.poly(d.mul(x, x), "erfPoly", erfTerms), x, x)
}

// reduceErfc is erfc(x) = value·2^n for 0.46 ≤ x ≤ 28, where square is x². x.lo may be nil. The
// steps are those of kernel's reduceErfc.
func (d double) reduceErfc(x, square pair) (result pair, e reducedExp) {
	square = d.parkPair(square)
	four, one := d.inRegister(fourBits), d.inRegister(oneBits)

	t := d.div(d.sub(x.hi, four), d.add(x.hi, four))
	below := d.sum2(one, d.add(x.hi, x.hi))
	if x.lo != nil {
		below.lo = d.add(below.lo, d.add(x.lo, x.lo))
	}

	p := d.fastSum2(d.get("erfcHead"), d.timesPlus(d.poly(t, "erfcPoly", erfcTerms), t, d.part("erfcHead", 1)))

	inverse := d.div(d.inRegister(oneBits), below.hi)
	q := d.mul(p.hi, inverse)
	qLo := d.mul(d.minusProduct(d.add(d.minusProduct(p.hi, q, below.hi), p.lo), q, below.lo), inverse)
	q, qLo = d.park(q), d.park(qLo)

	e = d.reduceExp(d.xor(d.inRegister(signBits), square.hi))
	u := d.fastSum2(d.inRegister(oneBits), e.r)
	rest := d.add(u.lo, d.expm1OfReduced(e))
	rest = d.minusProduct(rest, d.add(u.hi, rest), d.again(square.lo))
	q = d.again(q)
	v := d.mul2(u.hi, q)

	v.lo = d.add(v.lo, d.plusProduct(d.mul(rest, q), u.hi, d.again(qLo)))
	return v, e
}

// erfcBeside is erfc(x) for 1 ≤ x ≤ 28, near enough for sums with 1.
func (d double) erfcBeside(x value) value {
	four, one := d.inRegister(fourBits), d.inRegister(oneBits)
	above, below := d.add(x, four), d.add(d.add(x, x), one)
	inverse := d.div(one, d.mul(above, below))
	t := d.mul(d.mul(d.sub(x, four), below), inverse)
	p := d.timesPlus(d.poly(t, "erfcPoly", erfcTerms), t, d.get("erfcHead"))
	q := d.mul(p, d.mul(above, inverse))
	square := d.mul2(x, x)
	e := d.reduceExp(d.xor(square.hi, d.inRegister(signBits)))
	u := d.fastSum2(d.inRegister(oneBits), e.r)
	power := d.add(u.hi, d.add(u.lo, d.sub(d.expm1OfReduced(e), square.lo)))
	return d.scale(d.mul(power, q), e)
}

func (d double) erf() func(value) value {
	d.useErf()
	d.use("erfcMax")
	return func(x value) value {
		t := d.less(d.get("erfcMax"), d.abs(x))
		x = d.park(x)
		y := d.erfcBeside(t)
		one := d.inRegister(oneBits)
		y = d.sub(one, y)
		again := d.again(x)
		y = d.choose(d.cmp(lessEqual, d.abs(again), one), d.erfSeries(again), y)
		return d.copySign(y, d.again(x))
	}
}

func (d double) erfc() func(value) value {
	d.useErf()
	d.use("erfcMax")
	return func(x value) value {
		t := d.less(d.get("erfcMax"), d.abs(x))
		x = d.park(x)
		r, e := d.reduceErfc(pair{t, nil}, d.mul2(t, t))
		y := d.scale(d.total(r), e)
		again := d.again(x)
		y = d.choose(d.negative(again), d.sub(d.inRegister(twoBits), y), y)
		series := d.sub(d.inRegister(oneBits), d.erfSeries(again))
		return d.choose(d.cmp(lessThan, d.abs(again), d.get("erfBound")), series, y)
	}
}

func (d double) gelu() func(value) value {
	d.useErf()
	d.use("geluBound")
	d.useBits(halfBits)
	return func(x value) value {
		t := d.less(d.get("geluBound"), d.abs(x))
		x = d.park(x)
		u := d.mul2(t, d.get("sqrtHalf"))
		u.lo = d.plusProduct(u.lo, t, d.part("sqrtHalf", 1))
		half := d.mul(t, d.bits(halfBits))
		series := d.parkPair(u)
		square := d.mul2(t, half)
		h := d.park(d.copySign(half, d.again(x)))

		r, e := d.reduceErfc(u, square)

		half = d.again(h)
		negative := d.negative(half)
		low := d.plusProduct(d.mul(half, r.lo), half, r.hi)
		scaled := d.scale(d.choose(negative, low, d.total(r)), e)
		positive := d.minusProduct(d.copy(d.again(x)), half, scaled)
		y := d.park(d.choose(negative, scaled, positive))

		parts := pair{d.again(series.hi), d.again(series.lo)}
		small := d.park(d.cmp(lessEqual, parts.hi, d.get("erfBound")))
		half = d.again(h)
		s := d.geluSeries(half, parts)
		return d.choose(d.again(small), d.copySign(s, half), d.again(y))
	}
}

// geluSeries is half·(1 + erf(u)), u with the sign of half.
func (d double) geluSeries(half value, u pair) value {
	sign := d.and(half, d.bits(signBits))
	hi, lo := d.xor(u.hi, sign), d.xor(u.lo, sign)
	sum := d.fastSum2(d.inRegister(oneBits), hi)
	series := d.timesPlus(d.poly(d.mul(hi, hi), "erfPoly", erfTerms), hi, lo)
	return d.plusProduct(d.mul(half, d.add(sum.lo, series)), half, sum.hi)
}
