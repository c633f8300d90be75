package main

const minusOneBits = 0xbff0000000000000

func (d double) powNarrow() func(x, y value) value {
	d.useLog()
	d.use("ln2Head", "ln2Rest", "log2E")
	return func(x32, y32 value) value {
		x, y := d.widen(x32), d.clamp(d.widen(y32), "powMin", "powMax")
		t := d.abs(x)
		k, m := d.split(t)
		log := d.specialLog(t, d.reduceLog(m).plus(d, k))
		z := d.power2Narrow(d.reduceNarrow(d.clamp(d.mul(y, log), "expMinNarrow", "expMaxNarrow")))
		return d.round(d.finishPow(x, y, z))
	}
}

// signPow is z, negative where x is and y is odd.
func (d double) signPow(x, y, z value) value {
	half := d.mul(y, d.bits(halfBits))
	rest := d.sub(half, d.fp.round(toZero, half))
	odd := d.cmp(equal, d.abs(rest), d.bits(halfBits))
	return d.xor(z, d.and(d.keep(odd, x), d.bits(signBits)))
}

// specialPow makes of z what x^y is for a negative finite x and a y that is no integer, and where
// it is simple.
func (d double) specialPow(x, y, z value) value {
	one := d.inRegister(oneBits)
	fraction := d.cmp(notEqual, d.fp.round(toZero, y), y)
	negative := d.both(d.cmp(lessThan, x, d.zero()), d.cmp(greaterThan, x, d.bits(minusInfinity)))
	z = d.choose(d.both(fraction, negative), d.inRegister(nanBits), z)
	z = d.choose(d.cmp(equal, y, d.bits(twoBits)), d.mul(x, x), z)
	d.whereAny(d.cmp(equal, y, d.bits(minusOneBits)), []value{z}, func(value) []value {
		return []value{d.div(d.inRegister(oneBits), x)}
	})
	z = d.choose(d.cmp(equal, y, one), x, z)
	z = d.choose(d.cmp(equal, y, d.zero()), one, z)
	return d.choose(d.cmp(equal, x, one), one, z)
}

func (d double) cbrtNarrow() func(value) value {
	d.useLogNarrow()
	d.use("log2E", "third")
	return func(x32 value) value {
		x := d.widen(x32)
		k, m := d.split(d.abs(x))
		l := d.mul(d.timesPlus(d.logMantissa(m), d.get("log2E"), k), d.get("third"))
		biased := d.add(l, d.get("roundBias"))
		y := d.power2Narrow(biased, d.sub(l, d.sub(biased, d.get("roundBias"))))
		return d.copySignHalf(d.round(d.limits(x, y)), x32)
	}
}

// limits is x where it is 0, infinite or NaN, and y elsewhere.
func (d double) limits(x, y value) value {
	y = d.choose(d.cmp(equal, x, d.zero()), x, y)
	finite := d.cmp(lessThan, d.abs(x), d.inRegister(infinityBits))
	return d.choose(finite, y, x)
}
