package gemm

import "math"

// fma32 returns x*y + z, rounded once to float32; all numbers are float32 numbers in float64. The
// product is exact in float64. The sum is rounded there, and rounding it again to float32 can be
// wrong only if it lies halfway between two float32 numbers. Numbers stay in float64, where bits
// are rounded as integers: conversions take longer than the arithmetic.
func fma32(x, y, z float64) float64 {
	product := float64(x * y)
	sum := product + z
	if rounded, ok := round32(sum); ok {
		return rounded
	}
	return roundSum(product, z, sum)
}

// round32 rounds sum to float32 by arithmetic on its bits. ok is false if that may be wrong: unless
// sum is 0, or its size is from 0x1p-126 to below 0x1p127 and it is not halfway between two float32
// numbers. (No product is so small that a sum is rounded to 0.)
func round32(sum float64) (rounded float64, ok bool) {
	const below, half = 1<<29 - 1, 1 << 28
	bits := math.Float64bits(sum)
	return math.Float64frombits((bits + half) &^ below), bits&below != half && bits>>52&0x7ff-(1023-126) < 126+127 || bits<<1 == 0
}

// roundSum rounds a + b, which is sum in float64, to float32. It rounds to odd first, so that the
// second rounding does no harm (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums",
// 2008).
func roundSum(a, b, sum float64) float64 {
	return float64(float32(oddSum(a, b, sum)))
}

// oddSum returns a + b rounded to odd. sum is a + b in float64. If sum is not exact, the result is
// that neighbour of a + b whose last bit is 1.
func oddSum(a, b, sum float64) float64 {
	if math.IsInf(sum, 0) || sum != sum {
		return sum
	}
	part := float64(sum - a)
	rest := float64(float64(a-float64(sum-part)) + float64(b-part))
	bits := math.Float64bits(sum)
	if rest == 0 || bits&1 != 0 {
		return sum
	}
	if (rest > 0) == (sum > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}
