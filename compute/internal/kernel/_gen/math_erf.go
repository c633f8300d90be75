package main

const (
	erfTermsNarrow  = 9
	erfcTermsNarrow = 10
)

func (d double) erfNarrow() func(value) value {
	d.useHalf("erfMaxNarrow")
	d.useExpNarrow()
	d.useBits(exponentBias)
	d.useTable("erfPoly32", erfTermsNarrow)
	return func(x value) value {
		t := d.widen(d.atMostHalf(d.absHalf(x), "erfMaxNarrow"))
		y := d.expm1Power(d.mul(t, d.poly(t, "erfPoly32", erfTermsNarrow)))
		return d.copySignHalf(d.round(y), x)
	}
}

func (d double) useErfcNarrow(scale string) {
	d.useBits(signBits)
	d.useExpNarrow()
	d.use(scale)
	d.useTable("erfcPoly32", erfcTermsNarrow)
}

func (d double) erfcOfScaled(x value, scale string, square value) value {
	s := d.get(scale)
	u := d.div(s, d.add(s, x))
	p := d.mul(d.poly(u, "erfcPoly32", erfcTermsNarrow), u)
	return d.mul(p, d.power2Narrow(d.reduceNarrow(d.xor(square, d.bits(signBits)))))
}

func (d double) erfcNarrow() func(value) value {
	d.useHalf("erfcMaxNarrow")
	d.useErfcNarrow("erfcScale")
	d.useBits(twoBits)
	return func(x value) value {
		t := d.widen(d.atMostHalf(d.absHalf(x), "erfcMaxNarrow"))
		y := d.erfcOfScaled(t, "erfcScale", d.mul(t, t))
		return d.round(d.choose(d.negative(d.widen(x)), d.sub(d.inRegister(twoBits), y), y))
	}
}

func (d double) geluNarrow() func(value) value {
	d.useHalf("geluMaxNarrow")
	d.useErfcNarrow("geluScale")
	d.useBits(halfBits)
	return func(x value) value {
		t := d.widen(d.atMostHalf(d.absHalf(x), "geluMaxNarrow"))
		half := d.mul(t, d.bits(halfBits))
		rest := d.mul(half, d.erfcOfScaled(t, "geluScale", d.mul(half, t)))
		return d.round(d.sub(d.more(d.zero(), d.widen(x)), rest))
	}
}
