package jit

import (
	"math"

	"github.com/tstore/tstore/compute/internal/kernel"
)

var numbers32 = kernel.Singles()

// reduceExp32 is n and h, and r with x = n·ln 2 + r.
func reduceExp32(f *floats, x int) (n, h, r int) {
	c := &numbers32
	bias := f.single(c.RoundBias)
	n = f.sub(f.timesPlus(x, f.single(c.Log2E), bias), bias)
	h = f.minusProduct(n, f.single(c.Ln2Hi), x)
	return n, h, f.minusProduct(n, f.single(c.Ln2Lo), h)
}

func expSingle(f *floats, x int) int {
	c := &numbers32
	n, _, r := reduceExp32(f, f.clamp(x, f.single(c.ExpMin), f.single(c.ExpMax)))
	one := f.num(1)
	p := f.timesPlus(poly(f, r, c.ExpPoly), r, one)
	return f.scaled(f.timesPlus(p, r, one), n)
}

func exp2Single(f *floats, x int) int {
	c := &numbers32
	x = f.clamp(x, f.single(c.Exp2Min), f.single(c.Exp2Max))
	bias := f.single(c.RoundBias)
	n := f.sub(f.add(x, bias), bias)
	r := f.sub(x, n)
	return f.scaled(f.timesPlus(poly(f, r, c.Exp2Poly), r, f.num(1)), n)
}

func expm1Single(f *floats, x int) int {
	c := &numbers32
	n, h, r := reduceExp32(f, f.clamp(x, f.single(c.Expm1Min), f.single(c.ExpMax)))
	rest := f.minusProduct(n, f.single(c.Ln2Lo), f.sub(h, r))
	power := f.scaled(f.num(1), f.negative(n))
	above := f.fastSum(f.num(1), f.negative(power))
	s := f.fastSum(above.hi, r)
	m := f.timesPlus(f.mul(r, r), poly(f, r, c.Expm1Poly), f.add(rest, above.lo))
	return f.copySign(f.size, f.scaled(f.add(s.hi, f.add(s.lo, m)), n), x)
}

func sigmoidSingle(f *floats, x int) int {
	c := &numbers32
	n, _, r := reduceExp32(f, f.clamp(f.negative(x), f.single(c.ExpMin), f.single(c.SigmoidMax)))
	one := f.num(1)
	power := f.scaled(one, f.binary(or.of(4), 4, n, f.literal(signBit(4), 4)))
	positive := f.compare(floatGreater, n, f.num(0))
	above, factor := f.pick(positive, power, one), f.pick(positive, one, power)
	scaled := f.mul(factor, r)
	expm1 := f.timesPlus(f.mul(scaled, r), poly(f, r, c.ExpPoly), scaled)
	below := f.fastSum(one, power)
	s := f.fastSum(below.hi, expm1)
	return f.mul(above, reciprocal32(f, sum{s.hi, f.add(s.lo, below.lo)}))
}

// reciprocal32 is 1/p.
func reciprocal32(f *floats, p sum) int {
	one := f.num(1)
	y := f.div(one, p.hi)
	rest := f.minusProduct(y, p.lo, f.minusProduct(y, p.hi, one))
	return f.timesPlus(rest, y, y)
}

func tanhSingle(f *floats, x int) int {
	c := &numbers32
	t := f.atMost(f.absolute(4, x), f.single(c.TanhMax))
	shifted := f.add(t, f.single(c.TanhShift))
	low := f.compare(floatLess, shifted, f.single(c.TanhLow))
	index := f.shift(&shiftDownBy, 4, shifted, 21)
	pick := func(row *[16]float32) int {
		return f.graph.add(node{do: &permute, args: [3]int{index, f.row(row), -1}, size: 4})
	}
	d := f.sub(t, pick(c.TanhMiddle))
	p := pick(&c.TanhPoly[5])
	for row := 4; row >= 0; row-- {
		p = f.timesPlus(p, d, pick(&c.TanhPoly[row]))
	}
	head := f.pick(low, t, pick(c.TanhHead))
	return f.copySign(4, f.timesPlus(p, d, head), x)
}

// split32 is k and g with x = 2^k·(1+g), √½ ≤ 1+g < √2.
func split32(f *floats, x int) (k, g int) {
	const sqrtTwo = 0x3fb504f4                                           // the bits of the first float32 above that is too large
	k, m := f.unary(exponent.of(4), 4, x), f.unary(mantissa.of(4), 4, x) // 1 ≤ m < 2
	large := f.compare(floatGreaterEq, m, f.literal(sqrtTwo, 4))
	k = f.pick(large, f.add(k, f.num(1)), k)
	m = f.pick(large, f.mul(m, f.num(0.5)), m)
	return k, f.sub(m, f.num(1))
}

// specialLog replaces y by the special values of a logarithm where x is not positive and finite.
func specialLog(f *floats, x, y int) int {
	const notGreaterEqual = 0x19 // or NaN
	y = f.pick(f.compare(floatEqual, x, f.num(0)), f.infinite(-1), y)
	y = f.pick(f.compare(floatEqual, x, f.infinite(1)), x, y)
	return f.pick(f.compare(notGreaterEqual, x, f.num(0)), f.num(math.NaN()), y)
}

// finishLog32 is head + main + tail.
func finishLog32(f *floats, head, main, tail int) int {
	s := f.fastSum(head, main)
	return f.add(s.hi, f.add(s.lo, tail))
}

func logSingle(f *floats, x int) int {
	c := &numbers32
	k, g := split32(f, x)
	tail := f.timesPlus(f.mul(g, g), poly(f, g, c.LogPoly), f.mul(k, f.single(c.Ln2Rest)))
	return specialLog(f, x, finishLog32(f, f.mul(k, f.single(c.Ln2Head)), g, tail))
}

// times32 is g·(hi + lo).
func times32(f *floats, g int, hi, lo float32) sum {
	p := f.mul(g, f.single(hi))
	return sum{p, f.timesPlus(g, f.single(lo), f.timesMinus(g, f.vector(f.single(hi)), p))}
}

func log2Single(f *floats, x int) int {
	c := &numbers32
	k, g := split32(f, x)
	p := times32(f, g, c.Log2E, c.Log2ELo)
	tail := f.timesPlus(g, f.mul(g, poly(f, g, c.Log2Poly)), p.lo)
	return specialLog(f, x, finishLog32(f, k, p.hi, tail))
}

func log10Single(f *floats, x int) int {
	c := &numbers32
	k, g := split32(f, x)
	p := times32(f, g, c.Log10E, c.Log10ELo)
	tail := f.timesPlus(g, f.mul(g, poly(f, g, c.Log10Poly)), p.lo)
	tail = f.timesPlus(k, f.single(c.Log10Rest), tail)
	return specialLog(f, x, finishLog32(f, f.mul(k, f.single(c.Log10Head)), p.hi, tail))
}

func log1pSingle(f *floats, x int) int {
	c := &numbers32
	one := f.num(1)
	u := f.add(x, one)
	k, g := split32(f, u)
	s := f.fastSum(g, f.scaled(f.sub(x, f.sub(u, one)), f.negative(k)))
	g = s.hi
	tail := f.timesPlus(k, f.single(c.Ln2Rest), f.minusProduct(g, s.lo, s.lo))
	tail = f.timesPlus(f.mul(g, g), poly(f, g, c.LogPoly), tail)
	return f.copySign(4, specialLog(f, u, finishLog32(f, f.mul(k, f.single(c.Ln2Head)), g, tail)), x)
}
