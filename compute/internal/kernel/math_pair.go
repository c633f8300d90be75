package kernel

import "math"

// A pair64 is the exact sum of two floats. hi is the float nearest to the sum. It has about 106
// bits. The operations are those of Dekker, "A floating-point technique for extending the available
// precision" (1971), and Knuth.
type pair64 struct{ hi, lo float64 }

// sum2 returns x + y exactly.
func sum2(x, y float64) pair64 {
	s := x + y
	t := s - x
	return pair64{s, (x - (s - t)) + (y - t)}
}

// fastSum2 returns x + y exactly if |x| ≥ |y| or x is 0.
func fastSum2(x, y float64) pair64 {
	s := x + y
	return pair64{s, (x - s) + y}
}

// mul2 returns x·y exactly.
func mul2(x, y float64) pair64 {
	p := float64(x * y)
	return pair64{p, math.FMA(x, y, -p)}
}

// quotient2 returns x/y.
func quotient2(x, y float64) pair64 {
	inverse := 1 / y
	d := float64(x * inverse)
	return fastSum2(d, float64(math.FMA(-d, y, x)*inverse))
}

// plus returns p + q.
func (p pair64) plus(q pair64) pair64 {
	s := sum2(p.hi, q.hi)
	return fastSum2(s.hi, s.lo+(p.lo+q.lo))
}

func (p pair64) mul(q pair64) pair64 {
	m := mul2(p.hi, q.hi)
	return fastSum2(m.hi, math.FMA(p.hi, q.lo, math.FMA(p.lo, q.hi, m.lo)))
}

func (p pair64) div(q pair64) pair64 {
	y := 1 / q.hi
	d := float64(p.hi * y)
	rest := math.FMA(-d, q.hi, p.hi) + math.FMA(-d, q.lo, p.lo)
	return fastSum2(d, float64(rest*y))
}

func (p pair64) sqrt() pair64 {
	s := math.Sqrt(p.hi)
	if s == 0 {
		return pair64{}
	}
	return fastSum2(s, (math.FMA(-s, s, p.hi)+p.lo)/(2*s))
}

// value returns the nearest float.
func (p pair64) value() float64 { return p.hi + p.lo }
