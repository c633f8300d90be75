package main

const (
	expTerms32   = 5
	expm1Terms32 = 6
	exp2Terms32  = 6
)

func (s single) useExp(table string, terms int) {
	s.use("log2E32", "roundBias32", "ln2Hi32", "ln2Lo32")
	s.useTable(table, terms)
	s.useBits(oneBits32)
}

// reduceExp32 takes over x.
func (s single) reduceExp32(x value) (n, h, r value) {
	n = s.sub(s.plusProduct(s.copy(s.get("roundBias32")), x, s.get("log2E32")), s.get("roundBias32"))
	h = s.minusProduct(x, n, s.get("ln2Hi32"))
	return n, h, s.minusProduct(s.copy(h), n, s.get("ln2Lo32"))
}

func (s single) exp() func(value) value {
	s.useExp("expPolySingle", expTerms32)
	s.use("expMin32", "expMax32")
	return func(x value) value {
		n, _, r := s.reduceExp32(s.clamp(x, "expMin32", "expMax32"))
		one := s.inRegister(oneBits32)
		p := s.timesPlus(s.poly32(r, "expPolySingle", expTerms32), r, one)
		return s.scale32(s.timesPlus(p, r, one), n)
	}
}

func (s single) exp2() func(value) value {
	s.use("roundBias32", "exp2Min32", "exp2Max32")
	s.useTable("exp2PolySingle", exp2Terms32)
	s.useBits(oneBits32)
	return func(x value) value {
		x = s.clamp(x, "exp2Min32", "exp2Max32")
		n := s.sub(s.add(x, s.get("roundBias32")), s.get("roundBias32"))
		r := s.sub(x, n)
		return s.scale32(s.timesPlus(s.poly32(r, "exp2PolySingle", exp2Terms32), r, s.inRegister(oneBits32)), n)
	}
}

func (s single) expm1() func(value) value {
	s.useExp("expm1PolySingle", expm1Terms32)
	s.use("expm1Min32", "expMax32")
	s.useBits(s.signBits())
	return func(x value) value {
		n, h, r := s.reduceExp32(s.clamp(x, "expm1Min32", "expMax32"))
		rest := s.minusProduct(s.sub(h, r), n, s.get("ln2Lo32"))
		above := s.fastSum32(s.inRegister(oneBits32), s.minus(s.power32(s.minus(n))))
		sum := s.fastSum32(above.hi, r)
		m := s.timesPlus(s.poly32(r, "expm1PolySingle", expm1Terms32), s.mul(r, r), s.add(rest, above.lo))
		return s.copySign(s.scale32(s.add(sum.hi, s.add(sum.lo, m)), n), x)
	}
}

func (s single) sigmoid() func(value) value {
	s.useExp("expPolySingle", expTerms32)
	s.use("expMin32", "sigmoidMax32")
	s.useBits(s.signBits(), 0)
	return func(x value) value {
		n, _, r := s.reduceExp32(s.clamp(s.minus(x), "expMin32", "sigmoidMax32"))
		one := s.inRegister(oneBits32)
		power := s.scale32(one, s.or(n, s.inRegister(s.signBits())))
		positive := s.cmp(greaterThan, n, s.inRegister(0))
		above, factor := s.choose(positive, power, one), s.choose(positive, one, power)
		scaled := s.mul(factor, r)
		expm1 := s.timesPlus(s.poly32(r, "expPolySingle", expTerms32), s.mul(scaled, r), scaled)
		below := s.fastSum32(one, power)
		sum := s.fastSum32(below.hi, expm1)
		return s.mul(above, s.reciprocal32(sum32{sum.hi, s.add(sum.lo, below.lo)}))
	}
}

// reciprocal32 is 1/p.
func (s single) reciprocal32(p sum32) value {
	one := s.inRegister(oneBits32)
	y := s.div(one, p.hi)
	rest := s.minusProduct(s.minusProduct(s.copy(one), y, p.hi), y, p.lo)
	return s.timesPlus(rest, y, y)
}
