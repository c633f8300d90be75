package main

const (
	cbrtTerms = 5

	minusThreeBits = 0xc008000000000000
)

// cbrt is ∛x: a polynomial for the inverse root, and two corrections. The steps are those of
// kernel's cbrt.
func (d double) cbrt() func(value) value {
	d.useBits(signBits, oneBits)
	d.use("roundBias", "third", "twoNinths")
	return func(x value) value {
		k, m := d.splitAny(d.abs(x))
		biased := d.plusProduct(d.copy(d.get("roundBias")), k, d.get("third"))
		e := d.plusProduct(k, d.sub(biased, d.get("roundBias")), d.inRegister(minusThreeBits))
		a := d.addBits(m, d.shiftLeft(d.add(e, d.get("roundBias")), 52))

		zero := d.zero()
		factor := d.choose(d.cmp(lessThan, e, zero), d.get("cbrtTwo"), d.inRegister(oneBits))
		factor = d.choose(d.cmp(greaterThan, e, zero), d.get("cbrtHalf"), factor)

		r := d.mul(d.poly(m, "cbrtPoly", cbrtTerms), factor)
		h := d.minusProduct(d.copy(d.inRegister(oneBits)), d.mul(a, r), d.mul(r, r))
		step := d.timesPlus(d.copy(d.get("twoNinths")), h, d.get("third"))
		r = d.plusProduct(r, d.mul(r, h), step)

		rr := d.mul(r, r)
		t := d.mul(a, rr)
		square := d.mul2(t, t)
		rest := d.sub(d.minusProduct(a, square.hi, t), d.mul(square.lo, t))
		t = d.plusProduct(t, d.mul(rest, rr), d.get("third"))

		y := d.addBits(t, d.shiftLeft(biased, 52))
		return d.copySign(d.limits(x, y), x)
	}
}

// The factors that keep squares within range, and what is scaled by them.
const (
	hypotMaxBits  = 0x5fe0000000000000 // of 2^511
	hypotMinBits  = 0x2340000000000000 // of 2^-459
	hypotUpBits   = 0x6570000000000000 // of 2^600
	hypotDownBits = 0x1a70000000000000 // of 2^-600
	nothingBits   = 0x3c90000000000000 // of 2^-54
)

func (d double) hypot() func(x, y value) value {
	d.useBits(oneBits, signBits, hypotMaxBits, hypotMinBits, hypotUpBits, hypotDownBits, nothingBits, infinityBits)
	return func(x, y value) value {
		a, b := d.abs(x), d.abs(y)
		x, y = d.more(b, a), d.less(a, b)
		one, up, down := d.inRegister(oneBits), d.inRegister(hypotUpBits), d.inRegister(hypotDownBits)
		small, large := d.cmp(lessThan, y, d.bits(hypotMinBits)), d.cmp(greaterThan, x, d.bits(hypotMaxBits))
		scale := d.choose(large, down, d.choose(small, up, one))
		back := d.choose(large, up, d.choose(small, down, one))
		r := d.mul(d.hypotOrdered(d.mul(x, scale), d.mul(y, scale)), back)
		r = d.choose(d.cmp(lessEqual, y, d.mul(x, d.bits(nothingBits))), d.add(x, y), r)
		infinite := d.inRegister(infinityBits)
		r = d.choose(d.cmp(equal, x, infinite), infinite, r)
		return d.choose(d.cmp(equal, y, infinite), infinite, r)
	}
}

// hypotOrdered is hypot of x ≥ y > 0.
func (d double) hypotOrdered(x, y value) value {
	h := d.sqrt(d.plusProduct(d.mul(y, y), x, x))
	hh, xx := d.mul(h, h), d.mul(x, x)
	correction := d.add(d.minusProduct(d.sub(hh, xx), y, y), d.productMinus(h, h, hh))
	correction = d.sub(correction, d.productMinus(x, x, xx))
	return d.sub(h, d.div(correction, d.add(h, h)))
}

func (d double) hypotNarrow() func(x, y value) value {
	d.useBits(signBits, infinityBits)
	return func(x32, y32 value) value {
		x, y := d.abs(d.widen(x32)), d.abs(d.widen(y32))
		r, infinite := d.sqrt(d.add(d.mul(x, x), d.mul(y, y))), d.inRegister(infinityBits)
		r = d.choose(d.cmp(equal, x, infinite), infinite, r)
		return d.round(d.choose(d.cmp(equal, y, infinite), infinite, r))
	}
}
