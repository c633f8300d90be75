package main

const (
	atanhTailTerms = 7

	powRangeBits = 0x4087500000000000 // of 746, where exp is 0 or infinite
	// Exponents are taken no further than 2^65, so that 0·∞ never comes up; x^±2^65 is 0, 1 or infinite.
	powFarBits      = 0x4400000000000000
	minusPowFarBits = 0xc400000000000000
)

// reduceExpPair reduces x in two parts. It takes over x.hi.
func (d double) reduceExpPair(x pair) reducedExp {
	e := d.reduceExp(x.hi)
	s := d.sum2(e.r, d.add(e.rest, x.lo))
	return reducedExp{e.biased, e.n, s.hi, s.lo}
}

// exp2Pair is exp(r + rest).
func (d double) exp2Pair(e reducedExp) pair {
	m := d.expm1OfReduced(e)
	p := d.fastSum2(d.inRegister(oneBits), e.r)
	return d.fastSum2(p.hi, d.add(p.lo, m))
}

// logPair is log(m·2^k) in two parts. m.lo may be nil.
func (d double) logPair(m pair, k value) pair {
	one, zero := d.inRegister(oneBits), d.zero()
	var above, below pair
	if m.lo == nil {
		above = pair{d.sub(m.hi, one), zero}
		sum := d.add(m.hi, one)
		below = pair{sum, d.sub(m.hi, d.sub(sum, one))}
	} else {
		above = d.plusPair(m, pair{d.inRegister(minusOneBits), zero})
		below = d.plusPair(m, pair{one, zero})
	}
	k = d.park(k)
	s := d.divPair(above, below)
	z := d.mulPair(s, s)
	s, z = d.parkPair(s), d.parkPair(z)
	zHi := d.again(z.hi)
	t := d.addPair(pair{d.get("atanhHead1"), d.part("atanhHead1", 1)}, d.mul2(zHi, d.poly(zHi, "atanhTail", atanhTailTerms)))
	t = d.addPair(pair{d.get("atanhHead0"), d.part("atanhHead0", 1)}, d.mulPair(d.againPair(z), t))
	t = d.addPair(pair{d.inRegister(twoBits), d.zero()}, d.mulPair(d.againPair(z), t))
	k = d.again(k)
	return d.plusPair(pair{d.mul(k, d.get("ln2Head")), d.mul(k, d.get("ln2Rest"))}, d.mulPair(d.againPair(s), t))
}

func (d double) pow() func(x, y value) value {
	d.useBits(oneBits, signBits)
	d.use("log2E", "roundBias", "ln2Hi", "ln2Lo")
	return func(x, y value) value {
		x, y = d.park(x), d.park(y)
		k, m := d.splitAny(d.abs(d.again(x)))
		l := d.logPair(pair{m, nil}, k)
		hi := d.specialLog(d.abs(d.again(x)), l.hi)
		far := d.less(d.inRegister(powFarBits), d.again(y))
		far = d.more(d.inRegister(minusPowFarBits), far)
		p := d.mul2(far, hi)
		p.lo = d.plusProduct(p.lo, far, l.lo)
		p.lo = d.keep(d.cmp(lessThan, d.abs(p.hi), d.inRegister(powRangeBits)), p.lo)
		e := d.reduceExpPair(pair{d.clamp(p.hi, "expMin", "expMax"), p.lo})
		z := d.scale(d.expOfReduced(e), e)
		again, exponent := d.again(x), d.again(y)
		return d.specialPow(again, exponent, d.signPow(again, exponent, z))
	}
}

const minusSixtyBits = 0xc04e000000000000

func (d double) logAddExp() func(x, y value) value {
	d.useBits(oneBits, signBits)
	d.use("log2E", "roundBias", "ln2Hi", "ln2Lo")
	return func(x, y value) value {
		hi, lo := d.fp.max(x, y), d.less(x, y)
		diff := d.sum2(lo, d.xor(hi, d.inRegister(signBits)))
		hi = d.park(hi)
		near := d.cmp(greaterEqual, diff.hi, d.inRegister(minusSixtyBits))
		e := d.reduceExpPair(pair{d.more(d.get("expMin"), diff.hi), d.keep(near, diff.lo)})
		p := d.exp2Pair(e)
		tiny, power := d.park(d.scale(d.total(p), e)), d.power2(e.biased, 0)
		near = d.park(near)
		u := d.plusPair(pair{d.inRegister(oneBits), d.zero()}, pair{d.mul(p.hi, power), d.mul(p.lo, power)})
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
