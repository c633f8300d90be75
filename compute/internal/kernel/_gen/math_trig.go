package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	sinTermsNarrow = 3 // for float32
	cosTermsNarrow = 4
	hugeExponents  = 99
	trigBoundField = 157 // the exponent field of the float32 2^30
)

func (d double) useTrigNarrow() {
	d.use("twoOverPi", "roundBias", "halfPi1", "halfPi2", "trigBound")
	d.useTable("sinPoly32", sinTermsNarrow)
	d.useTable("cosPoly32", cosTermsNarrow)
	d.useBits(oneBits)
}

func (d double) sinNarrow() func(value) value {
	d.useTrigNarrow()
	return func(x value) value {
		biased, r := d.reduceTrigNarrow(d.absHalf(x))
		y := d.round(d.quadrantNarrow(biased, r))
		return d.half(d.VXORPS, d.signHalf(x), y)
	}
}

func (d double) cosNarrow() func(value) value {
	d.useTrigNarrow()
	return func(x value) value {
		biased, r := d.reduceTrigNarrow(d.absHalf(x))
		return d.round(d.quadrantNarrow(d.addBits(biased, d.replicated(1, 8)), r))
	}
}

// reduceTrigNarrow is n in the low bits of biased and r, x = n·π/2 + r, of float32s x ≥ 0.
func (d double) reduceTrigNarrow(x32 value) (biased, r value) {
	x := d.widen(x32)
	biased = d.plusProduct(d.copy(d.get("roundBias")), x, d.get("twoOverPi"))
	n := d.sub(biased, d.get("roundBias"))
	r = d.minusProduct(d.copy(x), n, d.get("halfPi1"))
	r = d.minusProduct(r, n, d.get("halfPi2"))
	huge := d.cmp(greaterThan, x, d.get("trigBound"))
	d.ifAny(huge, func() {
		hugeBiased, hugeR := d.reduceHugeNarrow(x32, x, huge)
		d.VMOVAPD(d.choose(huge, hugeBiased, biased), biased)
		d.VMOVAPD(d.choose(huge, hugeR, r), r)
	})
	return biased, r
}

// reduceHugeNarrow is reduceTrigNarrow where huge is set.
func (d double) reduceHugeNarrow(x32, x, huge value) (biased, r value) {
	parts, index := d.GP64(), d.half(d.VPSRLD, operand.U8(23), x32).(reg.Register)
	d.LEAQ(d.global("twoOverPiParts", 0), parts)
	part := func(i int) value {
		return d.gather(operand.Mem{Base: parts, Index: index, Scale: 8, Disp: 8 * (i*hugeExponents - trigBoundField)}, huge, x)
	}
	head, lo := d.mul(x, part(0)), part(1)
	biased = d.add(d.add(head, d.mul(x, lo)), d.get("roundBias"))
	f := d.sub(head, d.sub(biased, d.get("roundBias")))
	return biased, d.mul(d.plusProduct(f, x, lo), d.get("halfPi1"))
}

// quadrantNarrow is sin(r + n·π/2).
func (d double) quadrantNarrow(biased, r value) value {
	sin, cos := d.sinCosReduced(r)
	y := d.choose(d.odd(biased), cos, sin)
	return d.xor(y, d.and(d.shiftLeft(biased, 62), d.bits(signBits)))
}

// sinCosReduced is sin(r) and cos(r) for |r| ≤ π/4.
func (d double) sinCosReduced(r value) (sin, cos value) {
	z := d.mul(r, r)
	sin = d.timesPlus(d.poly(z, "sinPoly32", sinTermsNarrow), d.mul(z, r), r)
	cos = d.timesPlus(d.poly(z, "cosPoly32", cosTermsNarrow), z, d.bits(oneBits))
	return sin, cos
}

func (d double) tanNarrow() func(value) value {
	d.useTrigNarrow()
	return func(x value) value {
		biased, r := d.reduceTrigNarrow(d.absHalf(x))
		sin, cos := d.sinCosReduced(r)
		odd := d.odd(biased)
		y := d.div(d.choose(odd, cos, sin), d.choose(odd, sin, cos))
		y = d.round(d.xor(y, d.shiftLeft(biased, 63)))
		return d.half(d.VXORPS, d.signHalf(x), y)
	}
}

// odd is a mask of the elements whose lowest bit is set.
func (d double) odd(a value) value { return d.negative(d.shiftLeft(a, 63)) }

// ifAny emits what is done if any element of a mask is set.
func (d double) ifAny(mask value, body func()) {
	none := d.label("none")
	d.jumpUnlessAny(mask, none)
	body()
	d.Label(none)
}

// whereAny replaces elements of old where mask is set, by what rare emits for use if there is any
// such element. With AVX2, old and mask lie on the stack meanwhile, so that rare may take their
// registers.
func (d double) whereAny(mask value, old []value, rare func(mask value) []value) {
	d.ifAny(mask, func() {
		if d.wide() {
			for i, v := range rare(mask) {
				d.VMOVAPD(d.choose(mask, v, old[i]), old[i])
			}
			return
		}

		saved := make([]value, len(old))
		for i, v := range old {
			saved[i] = d.onStack(v)
		}

		m := d.onStack(mask)
		out := rare(m)
		again := d.copy(m)
		for i, v := range out {
			d.VMOVAPD(d.choose(again, v, d.copy(saved[i])), old[i])
		}
	})
}

// gather is the elements at addresses whose indexes are 32-bit integers, where mask is set, and
// those of rest elsewhere.
func (d double) gather(m operand.Mem, mask, rest value) value {
	r := d.copy(rest)
	if d.wide() {
		used := d.K()
		d.KMOVB(mask, used)
		d.VGATHERDPD(m, used, r)
	} else {
		d.VGATHERDPD(d.copy(mask), m, r)
	}
	return r
}
