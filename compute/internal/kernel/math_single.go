package kernel

import "math"

// The functions of one float32 that work on float32s alone are called single.

// fma32 returns x·y + z with one rounding.
func fma32(x, y, z float32) float32 {
	p := float64(x) * float64(y) // exact, so that it does not matter whether the sum is fused with it
	s := p + float64(z)
	if math.Float64bits(s)<<36 != 0 {
		return float32(s) // no float32 and not half way between two: rounding twice is rounding once
	}
	return roundSum32(p, float64(z))
}

// roundSum32 returns x + y, rounded to odd and then to the nearest float32, as in Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd"
// (2008). The float64 nearest to x + y is even.
func roundSum32(x, y float64) float32 {
	s := sum2(x, y)
	b := math.Float64bits(s.hi)
	if s.lo < 0 || s.lo > 0 {
		if (s.lo < 0) == (s.hi < 0) {
			b++
		} else {
			b--
		}
	}
	return float32(math.Float64frombits(b))
}

// poly32 is poly of a float32.
func poly32(x float32, c []float32) float32 {
	p := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		p = fma32(p, x, c[i])
	}
	return p
}

// A pair32 is the exact sum of two float32s.
type pair32 struct{ hi, lo float32 }

// fastSum32 returns x + y exactly if |x| ≥ |y| or x is 0.
func fastSum32(x, y float32) pair32 {
	s := x + y
	return pair32{s, (x - s) + y}
}

func copySign32(x, sign float32) float32 {
	return math.Float32frombits(math.Float32bits(x)&^(1<<31) | math.Float32bits(sign)&(1<<31))
}
