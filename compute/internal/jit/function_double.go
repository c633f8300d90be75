package jit

import "github.com/tstore/tstore/compute/internal/kernel"

var numbers64 = kernel.Doubles()

// A reduced is x = n·ln 2 + r + rest.
type reduced struct{ n, r, rest int }

// exp is 2^n·exp(r + rest).
func (e reduced) exp(f *floats) int {
	one := f.num(1)
	m := f.timesPlus(f.mul(e.r, e.r), poly(f, e.r, numbers64.ExpPoly), e.rest)
	hi := f.add(e.r, one)
	p := f.add(hi, f.add(f.add(f.sub(one, hi), e.r), m))
	return f.scaled(p, e.n)
}

func expDouble(f *floats, x int) int {
	c := &numbers64
	x = f.clamp(x, f.num(c.ExpMin), f.num(c.ExpMax))
	bias := f.num(c.RoundBias)
	n := f.sub(f.timesPlus(x, f.num(c.Log2E), bias), bias)
	h := f.minusProduct(n, f.num(c.Ln2Hi), x)
	r := f.minusProduct(n, f.num(c.Ln2Lo), h)
	return reduced{n, r, f.minusProduct(n, f.num(c.Ln2Lo), f.sub(h, r))}.exp(f)
}

func exp2Double(f *floats, x int) int {
	c := &numbers64
	x = f.clamp(x, f.num(c.Exp2Min), f.num(c.Exp2Max))
	bias := f.num(c.RoundBias)
	n := f.sub(f.add(x, bias), bias)
	g := f.sub(x, n)
	r := f.mul(g, f.num(c.Ln2Hi))
	low := f.timesMinus(g, f.vector(f.num(c.Ln2Hi)), r)
	return reduced{n, r, f.timesPlus(g, f.num(c.Ln2Lo), low)}.exp(f)
}
