package main

// A pair is the sum of two vectors, as a pair64 in Go. The functions have the names of those in Go.
type pair struct{ hi, lo value }

// sum2 is a + b.
func (d double) sum2(a, b value) pair {
	s := d.add(a, b)
	t := d.sub(s, a)
	return pair{s, d.add(d.sub(a, d.sub(s, t)), d.sub(b, t))}
}

// fastSum2 is a + b where |a| ≥ |b|.
func (d double) fastSum2(a, b value) pair {
	s := d.add(a, b)
	return pair{s, d.add(d.sub(a, s), b)}
}

// mul2 is a·b, of which b may be in memory.
func (d double) mul2(a, b value) pair {
	p := d.mul(a, b)
	return pair{p, d.productMinus(a, b, p)}
}

// productMinus is a·b - c.
func (d double) productMinus(a, b, c value) value {
	r := d.copy(c)
	d.VFMSUB231PD(b, a, r)
	return r
}

// plusPair is p + q.
func (d double) plusPair(p, q pair) pair {
	s := d.sum2(p.hi, q.hi)
	return d.fastSum2(s.hi, d.add(s.lo, d.add(p.lo, q.lo)))
}

// mulPair is p·q. The parts of q may be in memory.
func (d double) mulPair(p, q pair) pair {
	m := d.mul2(p.hi, q.hi)
	return d.fastSum2(m.hi, d.plusProduct(d.plusProduct(m.lo, p.lo, q.hi), p.hi, q.lo))
}

// divPair is p/q. It changes p.lo.
func (d double) divPair(p, q pair) pair {
	u, rest := d.quotientParts(p, q)
	return d.fastSum2(u, rest)
}

// quotient is the upper part of p/q. It changes p.lo.
func (d double) quotient(p, q pair) value {
	u, rest := d.quotientParts(p, q)
	return d.add(u, rest)
}

func (d double) quotientParts(p, q pair) (u, rest value) {
	y := d.div(d.inRegister(oneBits), q.hi)
	u = d.mul(p.hi, y)
	rest = d.minusProduct(d.copy(p.hi), u, q.hi)
	rest = d.add(rest, d.minusProduct(p.lo, u, q.lo))
	return u, d.mul(rest, y)
}

// total is the upper part.
func (d double) total(p pair) value { return d.add(p.hi, p.lo) }

// sqrtPair is √p for p ≥ 0.
func (d double) sqrtPair(p pair) pair {
	s := d.sqrt(p.hi)
	rest := d.div(d.add(d.minusProduct(d.copy(p.hi), s, s), p.lo), d.add(s, s))
	return d.fastSum2(s, d.keep(d.cmp(notEqual, s, d.zero()), rest))
}

// quotient2 is x/y.
func (d double) quotient2(x, y value) pair {
	inverse := d.div(d.inRegister(oneBits), y)
	u := d.mul(x, inverse)
	return d.fastSum2(u, d.mul(d.minusProduct(d.copy(x), u, y), inverse))
}
