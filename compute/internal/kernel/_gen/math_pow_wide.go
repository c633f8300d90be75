package main

const (
	atanhTailTerms = 8

	powRangeBits = 0x4087500000000000 // of 746, where exp is 0 or infinite
	// Exponents are taken no further than 2^65, so that 0·∞ never comes up; x^±2^65 is 0, 1 or
	// infinite.
	powFarBits      = 0x4400000000000000
	minusPowFarBits = 0xc400000000000000
)

// reduceExpPair reduces x in two parts. It takes over x.hi.
func (d double) reduceExpPair(x pair) reducedExp {
	e := d.reduceExp(x.hi)
	s := d.sum2(e.r, d.add(e.rest, x.lo))
	return reducedExp{e.biased, e.n, s.hi, s.lo}
}

// logPair is log(m·2^k) in two parts. m.lo may be nil. The steps are those of kernel's logPair.
func (d double) logPair(m pair, k value) pair {
	k = d.park(k)
	one := d.inRegister(oneBits)

	f, g := d.sub(m.hi, one), d.add(m.hi, one)
	gLo := d.sub(m.hi, d.sub(g, one))
	if m.lo != nil {
		gLo = d.add(gLo, m.lo)
	}

	inverse := d.div(one, g)
	s := d.mul(f, inverse)
	rest := d.minusProduct(f, s, g)
	if m.lo != nil {
		rest = d.add(rest, m.lo)
	}
	sLo := d.mul(d.minusProduct(rest, s, gLo), inverse)

	z := d.mul2(s, s)
	z.lo = d.plusProduct(z.lo, d.add(s, s), sLo)

	t := d.fastSum2(d.get("atanhHead"), d.mul(z.hi, d.poly(z.hi, "atanhTail", atanhTailTerms)))
	t.lo = d.add(t.lo, d.part("atanhHead", 1))

	w := d.mul2(z.hi, t.hi)
	w.lo = d.plusProduct(d.plusProduct(w.lo, z.hi, t.lo), z.lo, t.hi)
	v := d.mul2(s, w.hi)
	v.lo = d.plusProduct(d.plusProduct(v.lo, s, w.lo), sLo, w.hi)

	sum := d.fastSum2(d.add(s, s), v.hi)
	low := d.add(sum.lo, d.add(v.lo, d.add(sLo, sLo)))

	k = d.again(k)
	head := d.fastSum2(d.mul(k, d.get("ln2Head")), sum.hi)
	return pair{head.hi, d.add(head.lo, d.plusProduct(low, k, d.get("ln2Rest")))}
}

// pow is x^y as exp(y·log(x)), with the logarithm and the product in two parts. The steps are those
// of kernel's pow.
func (d double) pow() func(x, y value) value {
	d.useBits(oneBits, signBits)
	d.use("log2E", "roundBias", "ln2Hi", "ln2Lo", "ln2Head", "ln2Rest")
	return func(x, y value) value {
		x, y = d.park(x), d.park(y)

		k, m := d.splitAny(d.abs(d.again(x)))
		l := d.logPair(pair{m, nil}, k)
		hi := d.specialLog(d.abs(d.again(x)), l.hi)

		// Take y no further than powFar: 0·∞ never comes up then.
		far := d.less(d.inRegister(powFarBits), d.again(y))
		far = d.more(d.inRegister(minusPowFarBits), far)
		p := d.mul2(far, hi)
		low := d.plusProduct(p.lo, far, l.lo)
		low = d.keep(d.cmp(lessThan, d.abs(p.hi), d.inRegister(powRangeBits)), low)

		e := d.reduceExp(d.clamp(p.hi, "expMin", "expMax"))
		u := d.fastSum2(d.inRegister(oneBits), e.r)
		rest := d.add(u.lo, d.expm1OfReduced(e))
		rest = d.plusProduct(rest, d.add(u.hi, rest), low)

		return d.finishPow(x, y, d.scale(d.add(u.hi, rest), e))
	}
}

// finishPow is z but for the values of x and y that are special. They may be parked.
func (d double) finishPow(x, y, z value) value {
	d.whereAny(d.unusualPow(d.again(x), d.again(y)), []value{z}, func(value) []value {
		base, exponent := d.again(x), d.again(y)
		return []value{d.specialPow(base, exponent, d.signPow(base, exponent, d.copy(z)))}
	})
	return z
}

// unusualPow is a mask of all elements that specialPow or signPow may change: where x is not
// positive, or y is NaN or an integer up to 2 in size.
func (d double) unusualPow(x, y value) value {
	whole := d.cmp(equalOrUnordered, y, d.fp.round(toZero, y))
	small := d.both(whole, d.cmp(notGreaterThan, d.abs(y), d.inRegister(twoBits)))
	return d.either(small, d.cmp(notGreaterThan, x, d.zero()))
}

const minusSixtyBits = 0xc04e000000000000

// logAddExp is log(eˣ + eʸ) = hi + log(1 + e^(lo-hi)), where hi is the greater of the two. The
// steps are those of kernel's logAddExp.
func (d double) logAddExp() func(x, y value) value {
	d.useBits(oneBits, signBits)
	d.use("log2E", "roundBias", "ln2Hi", "ln2Lo")
	return func(x, y value) value {
		hi, lo := d.fp.max(x, y), d.less(x, y)
		diff := d.sum2(lo, d.xor(hi, d.inRegister(signBits)))
		hi = d.park(hi)

		near := d.cmp(greaterEqual, diff.hi, d.inRegister(minusSixtyBits))
		e := d.reduceExpPair(pair{d.more(d.get("expMin"), diff.hi), d.keep(near, diff.lo)})
		p := d.expPair(e)
		tiny, power := d.park(d.scale(d.total(p), e)), d.power2(e.biased, 0)
		near = d.park(near)

		u := d.plusPair(pair{d.inRegister(oneBits), d.zero()}, pair{d.mul(p.hi, power), d.mul(p.lo, power)})

		// Bring 1 + e^diff between √½ and √2, as logPair wants it.
		above := d.cmp(greaterEqual, u.hi, d.inRegister(sqrtTwoBits))
		factor := d.choose(above, d.inRegister(halfBits), d.inRegister(oneBits))
		k := d.keep(above, d.inRegister(oneBits))
		l := d.logPair(pair{d.mul(u.hi, factor), d.mul(u.lo, factor)}, k)

		larger := d.again(hi)
		y2 := d.total(d.plusPair(pair{larger, d.zero()}, l))
		y2 = d.choose(d.again(near), y2, d.add(larger, d.again(tiny)))

		finite := d.cmp(lessThan, d.abs(larger), d.inRegister(infinityBits))
		return d.choose(finite, y2, larger)
	}
}

const sqrtTwoBits = 0x3ff6a09e667f3bcd
