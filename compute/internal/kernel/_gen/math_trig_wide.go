package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	sinTerms        = 6
	cosTerms        = 6
	hugeExponents64 = 995
	hugeField       = 1023 + 30 // the exponent field of trigBound

	minusHalfBits = 0xbfe0000000000000
	minusFourBits = 0xc010000000000000
	quarterBits   = 0x3fd0000000000000
)

func (d double) useTrig() {
	d.use("twoOverPi", "roundBias", "halfPi1", "halfPi2", "halfPi3", "trigBound")
	d.useBits(oneBits, signBits)
}

// A reducedTrig is x = n·π/2 + r, n in the low bits of biased.
type reducedTrig struct {
	biased value
	r      pair
}

// reduceTrig reduces x ≥ 0.
func (d double) reduceTrig(x value) reducedTrig {
	biased := d.plusProduct(d.copy(d.get("roundBias")), x, d.get("twoOverPi"))
	n := d.sub(biased, d.get("roundBias"))
	r := d.minusProduct(d.copy(x), n, d.get("halfPi1"))
	p := d.mul2(n, d.get("halfPi2"))
	s := d.sum2(r, d.xor(p.hi, d.bits(signBits)))
	lo := d.minusProduct(d.sub(s.lo, p.lo), n, d.get("halfPi3"))
	d.whereAny(d.cmp(notLessEqual, x, d.get("trigBound")), []value{biased, s.hi, lo}, func(huge value) []value {
		t := d.reduceHuge(x, huge)
		return []value{t.biased, t.r.hi, t.r.lo}
	})
	return reducedTrig{biased, pair{s.hi, lo}}
}

// reduceHuge is reduceTrig where huge is set. The steps are those of kernel's reduceHuge.
func (d double) reduceHuge(x, huge value) reducedTrig {
	m := d.or(d.and(x, d.replicated(mantissaBits, 8)), d.replicated(twoTo52Bits, 8))
	parts, index := d.GP64(), d.shiftRight(x, 52).(reg.Register)
	d.LEAQ(d.global("twoOverPiParts64", 0), parts)

	part := func(i int) value {
		return d.gatherWide(operand.Mem{Base: parts, Index: index, Scale: 8, Disp: 8 * (i*hugeExponents64 - hugeField)}, huge)
	}

	first := d.mul2(m, part(0))
	turns := d.fp.round(toEven, d.mul(first.hi, d.replicated(quarterBits, 8)))
	head := d.add(d.plusProduct(d.copy(first.hi), turns, d.inRegister(minusFourBits)), first.lo)

	second := d.mul2(m, part(1))
	biased := d.add(d.add(head, second.hi), d.get("roundBias"))
	s := d.sum2(d.sub(head, d.sub(biased, d.get("roundBias"))), second.hi)

	third := d.mul2(m, part(2))
	t := d.sum2(second.lo, third.hi)
	u := d.sum2(s.hi, t.hi)
	low := d.add(t.lo, d.plusProduct(third.lo, m, part(3)))
	f := d.fastSum2(u.hi, d.add(u.lo, d.add(s.lo, low)))

	return reducedTrig{biased, d.mulPair(f, pair{d.get("halfPi1"), d.get("halfPi2")})}
}

// gatherWide is the elements at addresses whose indexes are 64-bit integers, where mask is set, and
// 1 elsewhere.
func (d double) gatherWide(m operand.Mem, mask value) value {
	r := d.copy(d.inRegister(oneBits))
	if d.wide() {
		used := d.K()
		d.KMOVB(mask, used)
		d.VGATHERQPD(m, used, r)
	} else {
		d.VGATHERQPD(d.copy(mask), m, r)
	}
	return r
}

func (t reducedTrig) sin(d double) pair {
	z := d.mul(t.r.hi, t.r.hi)
	rest := d.mul(t.r.lo, d.timesPlus(d.copy(z), d.inRegister(minusHalfBits), d.bits(oneBits)))
	return pair{t.r.hi, d.timesPlus(d.poly(z, "sinPoly", sinTerms), d.mul(z, t.r.hi), rest)}
}

func (t reducedTrig) cos(d double) pair {
	z := d.mul(t.r.hi, t.r.hi)
	p := d.fastSum2(d.inRegister(oneBits), d.mul(z, d.bits(minusHalfBits)))
	rest := d.mul(d.mul(z, z), d.poly(z, "cosPoly", cosTerms))
	return pair{p.hi, d.add(p.lo, d.minusProduct(rest, t.r.hi, t.r.lo))}
}

// quadrant is sin(r + n·π/2).
func (t reducedTrig) quadrant(d double, biased value) value {
	sin, cos := d.total(t.sin(d)), d.total(t.cos(d))
	y := d.choose(d.odd(biased), cos, sin)
	return d.xor(y, d.and(d.shiftLeft(biased, 62), d.bits(signBits)))
}

func (d double) sin() func(value) value {
	d.useTrig()
	return func(x value) value {
		t := d.reduceTrig(d.abs(x))
		return d.xor(t.quadrant(d, t.biased), d.and(x, d.bits(signBits)))
	}
}

func (d double) cos() func(value) value {
	d.useTrig()
	return func(x value) value {
		t := d.reduceTrig(d.abs(x))
		return t.quadrant(d, d.addBits(t.biased, d.replicated(1, 8)))
	}
}

func (d double) tan() func(value) value {
	d.useTrig()
	return func(x value) value {
		t := d.reduceTrig(d.abs(x))
		sin, cos := t.sin(d), t.cos(d)
		sin, cos = d.fastSum2(sin.hi, sin.lo), d.fastSum2(cos.hi, cos.lo)
		odd := d.odd(t.biased)
		above := pair{d.choose(odd, cos.hi, sin.hi), d.choose(odd, cos.lo, sin.lo)}
		below := pair{d.choose(odd, sin.hi, cos.hi), d.choose(odd, sin.lo, cos.lo)}
		y := d.quotient(above, below)
		return d.xor(y, d.xor(d.and(x, d.bits(signBits)), d.shiftLeft(t.biased, 63)))
	}
}
