package main

func (d double) useLogSum() {
	d.useBits(oneBits, signBits, halfBits, twoBits)
	d.use("ln2Head", "ln2Rest")
}

// logSumPair is log(u·2^k), u > 0 and normal, as logSum in Go. k may be nil.
func (d double) logSumPair(u pair, k value) value {
	exponent, m := d.split(u.hi)
	f := d.sub(m, d.bits(oneBits))
	near := d.cmp(equal, exponent, d.zero())
	sum := d.fastSum2(f, u.lo)
	f, lo := d.choose(near, sum.hi, f), d.choose(near, sum.lo, u.lo)
	tail := d.div(lo, u.hi)
	l := d.reduceLogOf(f)
	if k != nil {
		exponent = d.add(exponent, k)
	}
	rest := d.add(l.correction, d.plusProduct(tail, exponent, d.get("ln2Rest")))
	return d.sub(d.mul(exponent, d.get("ln2Head")), d.sub(d.sub(l.square, rest), l.f))
}

func (d double) log1p() func(value) value {
	d.useLogSum()
	return func(x value) value {
		u := d.sum2(d.inRegister(oneBits), x)
		return d.copySign(d.specialLog(u.hi, d.logSumPair(u, nil)), x)
	}
}

func (d double) useArea() {
	d.useLogSum()
	d.use("areaMin", "areaMax")
}

// beyondArea is the sum u where t is not large, else t, and the exponent that doubles it.
func (d double) beyondArea(t value, u pair) (pair, value) {
	large := d.cmp(greaterThan, t, d.get("areaMax"))
	u = pair{d.choose(large, t, u.hi), d.choose(large, d.zero(), u.lo)}
	return u, d.keep(large, d.inRegister(oneBits))
}

func (d double) asinh() func(value) value {
	d.useArea()
	return func(x value) value {
		t := d.abs(x)
		square := d.mul2(t, t)
		c := d.sqrtPair(d.plusPair(pair{d.inRegister(oneBits), d.zero()}, square))
		u, k := d.beyondArea(t, d.plusPair(pair{t, d.zero()}, c))
		y := d.logSumPair(u, k)
		t = d.abs(x)
		y = d.choose(d.cmp(lessThan, t, d.get("areaMin")), t, y)
		y = d.choose(d.cmp(lessThan, t, d.inRegister(infinityBits)), y, t)
		return d.copySign(y, x)
	}
}

func (d double) acosh() func(value) value {
	d.useArea()
	return func(x value) value {
		one := d.inRegister(oneBits)
		s := d.sqrtPair(d.mulPair(pair{d.sub(x, one), d.zero()}, d.sum2(x, one)))
		u, k := d.beyondArea(x, d.plusPair(pair{x, d.zero()}, s))
		y := d.logSumPair(u, k)
		y = d.choose(d.cmp(lessThan, x, d.inRegister(infinityBits)), y, x)
		return d.choose(d.cmp(greaterEqual, x, d.inRegister(oneBits)), y, d.inRegister(nanBits))
	}
}

func (d double) atanh() func(value) value {
	d.useLogSum()
	d.use("areaMin")
	return func(x value) value {
		t, one := d.abs(x), d.inRegister(oneBits)
		below := d.fastSum2(one, d.xor(t, d.inRegister(signBits)))
		y := d.logSumPair(d.divPair(d.fastSum2(one, t), below), nil)
		y = d.mul(y, d.bits(halfBits))
		t, one = d.abs(x), d.inRegister(oneBits)
		y = d.choose(d.cmp(lessThan, t, d.get("areaMin")), t, y)
		edge := d.choose(d.cmp(equal, t, one), d.inRegister(infinityBits), d.inRegister(nanBits))
		return d.copySign(d.choose(d.cmp(lessThan, t, one), y, edge), x)
	}
}

// ofFloat32 is a function of float64s for float32s.
func ofFloat32(wide func(double) func(value) value) func(double) func(value) value {
	return func(d double) func(value) value {
		step := wide(d)
		return func(x value) value { return d.round(step(d.widen(x))) }
	}
}

// ofFloat32s is ofFloat32 for functions of two.
func ofFloat32s(wide func(double) func(x, y value) value) func(double) func(x, y value) value {
	return func(d double) func(x, y value) value {
		step := wide(d)
		return func(x, y value) value { return d.round(step(d.widen(x), d.widen(y))) }
	}
}
