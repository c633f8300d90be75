package jit

import "github.com/tstore/tstore/compute/internal/kernel"

var numbers64 = kernel.Doubles()

// A reduced is x = n·ln 2 + r + rest.
type reduced struct {
	biased     int // n in the low bits
	n, r, rest int
}

func reduceExp64(f *floats, x int) reduced {
	c := &numbers64
	bias := f.num(c.RoundBias)
	biased := f.timesPlus(x, f.num(c.Log2E), bias)
	n := f.sub(biased, bias)
	h := f.minusProduct(n, f.num(c.Ln2Hi), x)
	r := f.minusProduct(n, f.num(c.Ln2Lo), h)
	return reduced{biased, n, r, f.minusProduct(n, f.num(c.Ln2Lo), f.sub(h, r))}
}

// expm1 is exp(r + rest) - 1 - r.
func (e reduced) expm1(f *floats) int {
	return f.timesPlus(f.mul(e.r, e.r), poly(f, e.r, numbers64.ExpPoly), e.rest)
}

// pair is exp(r + rest).
func (e reduced) pair(f *floats) sum {
	p := f.fastSum(f.num(1), e.r)
	return f.fastSum(p.hi, f.add(p.lo, e.expm1(f)))
}

// exp is 2^n·exp(r + rest).
func (e reduced) exp(f *floats) int {
	p := f.fastSum(f.num(1), e.r)
	return f.scaled(f.add(p.hi, f.add(p.lo, e.expm1(f))), e.n)
}

// power64 is 2^(n+add), of n in the low bits, where that is normal.
func power64(f *floats, biased int, add uint64) int {
	const bias = 1023
	return f.shift(&shiftLeftBy, 8, f.binary(&addInt.longs, 8, biased, f.literal(bias+add, 8)), 52)
}

func expDouble(f *floats, x int) int {
	c := &numbers64
	return reduceExp64(f, f.clamp(x, f.num(c.ExpMin), f.num(c.ExpMax))).exp(f)
}

func exp2Double(f *floats, x int) int {
	c := &numbers64
	x = f.clamp(x, f.num(c.Exp2Min), f.num(c.Exp2Max))
	bias := f.num(c.RoundBias)
	biased := f.add(x, bias)
	n := f.sub(biased, bias)
	g := f.sub(x, n)
	r := f.mul(g, f.num(c.Ln2Hi))
	low := f.timesMinus(g, f.vector(f.num(c.Ln2Hi)), r)
	return reduced{biased, n, r, f.timesPlus(g, f.num(c.Ln2Lo), low)}.exp(f)
}

func expm1Double(f *floats, x int) int {
	c := &numbers64
	e := reduceExp64(f, f.clamp(x, f.num(c.Expm1Min), f.num(c.ExpMax)))
	half := power64(f, e.biased, ^uint64(0)) // of 2^n
	p := f.fastSum(f.sub(half, f.num(0.5)), f.mul(half, e.r))
	y := f.add(p.hi, f.timesPlus(half, e.expm1(f), p.lo))
	return f.pick(f.compare(floatLess, f.absolute(8, x), f.num(c.Linear)), x, f.add(y, y))
}

// quotient is p/q.
func quotient(f *floats, p, q sum) int {
	y := f.div(f.num(1), q.hi)
	d := f.mul(p.hi, y)
	rest := f.add(f.minusProduct(d, q.hi, p.hi), f.minusProduct(d, q.lo, p.lo))
	return f.add(d, f.mul(rest, y))
}

func sigmoidDouble(f *floats, x int) int {
	c := &numbers64
	negative := f.binary(&or.longs, 8, x, f.literal(signBit(8), 8))
	e := reduceExp64(f, f.clamp(negative, f.num(c.ExpMin), f.num(c.ExpMax)))
	p := e.pair(f)
	p = sum{f.scaled(p.hi, e.n), f.scaled(p.lo, e.n)}
	one, zero := f.num(1), f.num(0)
	below := f.fastSum(one, p.hi)
	below.lo = f.add(below.lo, p.lo)
	positive := f.compare(floatGreaterEq, x, zero)
	return quotient(f, sum{f.pick(positive, one, p.hi), f.pick(positive, zero, p.lo)}, below)
}

func tanhDouble(f *floats, x int) int {
	c := &numbers64
	t := f.absolute(8, x)
	e := reduceExp64(f, f.atMost(f.add(t, t), f.num(c.TanhMax)))
	m, power := e.expm1(f), power64(f, e.biased, 0)
	r, one := f.mul(power, e.r), f.num(1)
	soon := f.keep(8, f.compare(floatLessEqual, power, f.num(c.TanhLate)), one)
	late := f.sub(one, soon)
	above, below := f.fastSum(f.sub(power, soon), r), f.fastSum(f.add(power, soon), r)
	above = f.fastSum(above.hi, f.sub(f.timesPlus(power, m, above.lo), late))
	below = f.fastSum(below.hi, f.add(f.timesPlus(power, m, below.lo), late))
	return f.copySign(8, quotient(f, above, below), x)
}
