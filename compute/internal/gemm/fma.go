package gemm

import "math"

// fma32 returns x*y + z, rounded once, of numbers and to a number that float32 has. The product is
// exact in float64; the sum there is rounded, and rounding it again to float32 is wrong only where
// it lies halfway between two of those, or may. Numbers stay in float64, where bits are rounded as
// integers: conversions take longer than the arithmetic.
func fma32(x, y, z float64) float64 {
	product := float64(x * y)
	sum := product + z
	if rounded, ok := round32(sum); ok {
		return rounded
	}
	return roundSum(product, z, sum)
}

// round32 rounds to float32 what is 0, or lies from 0x1p-126 to below 0x1p127 and not halfway. (No
// product is so small that a sum is rounded to 0.)
func round32(sum float64) (rounded float64, ok bool) {
	const below, half = 1<<29 - 1, 1 << 28
	bits := math.Float64bits(sum)
	return math.Float64frombits((bits + half) &^ below), bits&below != half && bits>>52&0x7ff-(1023-126) < 126+127 || bits<<1 == 0
}

// roundSum rounds the sum of a and b, which rounds to sum in float64, to float32: by way of one
// that is made odd (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
func roundSum(a, b, sum float64) float64 {
	return float64(float32(oddSum(a, b, sum)))
}

// oddSum returns the sum of a and b, which rounds to sum, rounded to odd: where it is not exact, to
// the one of its two neighbours whose last bit is 1.
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
