package jit

// split64 is k and f with x = 2^k·(1+f), √½ ≤ 1+f < √2, of a normal x > 0, by arithmetic on its
// bits.
func split64(f *floats, x int) (k, g int) {
	const (
		one       = 0x3ff0000000000000
		sqrtHalf  = 0x3fe6a09e667f3bcd
		exponents = twoTo52 + 1023
		fraction  = 1<<52 - 1
	)
	integer := func(p *family, a int, bits uint64) int { return f.binary(&p.longs, 8, a, f.literal(bits, 8)) }
	b := integer(&addInt, x, one-sqrtHalf)
	k = f.sub(integer(&or, f.shift(&shiftDownBy, 8, b, 52), twoTo52), f.literal(exponents, 8))
	return k, f.sub(integer(&addInt, integer(&and, b, fraction), sqrtHalf), f.num(1))
}

// splitAny64 is split64 of an x > 0 that may be subnormal.
func splitAny64(f *floats, x int) (k, g int) {
	small := f.compare(floatLess, x, f.num(0x1p-1022))
	k, g = split64(f, f.pick(small, f.mul(x, f.num(0x1p54)), x))
	return f.sub(k, f.keep(8, small, f.num(54))), g
}

// A logReduced is log(1+f) = f - (square - correction).
type logReduced struct{ f, square, correction int }

func reduceLog(f *floats, g int) logReduced {
	s := f.div(g, f.add(g, f.num(2)))
	z := f.mul(s, s)
	square := f.mul(f.mul(g, f.num(0.5)), g)
	return logReduced{g, square, f.mul(s, f.timesPlus(z, poly(f, z, numbers64.AtanhPoly), square))}
}

// plus is k·ln 2 + log(1+f) + tail, which is -1 for none.
func (l logReduced) plus(f *floats, k, tail int) int {
	c := &numbers64
	last := f.mul(k, f.num(c.Ln2Rest))
	if tail >= 0 {
		last = f.timesPlus(k, f.num(c.Ln2Rest), tail)
	}
	rest := f.add(l.correction, last)
	return f.sub(f.mul(k, f.num(c.Ln2Head)), f.sub(f.sub(l.square, rest), l.f))
}

// scaled is head + rest·l times 1/base = hi + lo.
func (l logReduced) scaled(f *floats, hi, lo float64, head, rest int) int {
	p := f.fastSum(l.f, f.negative(l.square))
	p.lo = f.add(p.lo, l.correction)
	q := f.mul(p.hi, f.num(hi))
	exact := f.timesMinus(p.hi, f.vector(f.num(hi)), q)
	tail := f.timesPlus(p.hi, f.num(lo), f.timesPlus(p.lo, f.vector(f.num(hi)), rest))
	y := f.fastSum(head, q)
	return f.add(y.hi, f.add(y.lo, f.add(exact, tail)))
}

func logDouble(f *floats, x int) int {
	k, g := splitAny64(f, x)
	return specialLog(f, x, reduceLog(f, g).plus(f, k, -1))
}

func log2Double(f *floats, x int) int {
	c := &numbers64
	k, g := splitAny64(f, x)
	return specialLog(f, x, reduceLog(f, g).scaled(f, c.Log2E, c.Log2ELo, k, f.num(0)))
}

func log10Double(f *floats, x int) int {
	c := &numbers64
	k, g := splitAny64(f, x)
	head, rest := f.mul(k, f.num(c.Log10Head)), f.mul(k, f.num(c.Log10Rest))
	return specialLog(f, x, reduceLog(f, g).scaled(f, c.Log10E, c.Log10ELo, head, rest))
}

// log1pDouble is the logarithm of 1+x in two parts.
func log1pDouble(f *floats, x int) int {
	one := f.num(1)
	u := f.twoSum(f.vector(one), x)
	k, g := split64(f, u.hi)
	whole := f.compare(floatEqual, k, f.num(0)) // u is near 1
	near := f.fastSum(g, u.lo)
	g, lo := f.pick(whole, near.hi, g), f.pick(whole, near.lo, u.lo)
	return f.copySign(8, specialLog(f, u.hi, reduceLog(f, g).plus(f, k, f.div(lo, u.hi))), x)
}
