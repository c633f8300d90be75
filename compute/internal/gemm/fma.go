package gemm

import "math"

// fma32 returns x*y + z, rounded once. The product is exact in float64; the sum there is rounded, and rounding it again
// to float32 is wrong only where it lies halfway between two of those, or may: then it is made odd first (Boldo and Melquiond,
// "Emulation of FMA and correctly rounded sums", 2008).
func fma32(x, y, z float32) float32 {
	product, addend := float64(x)*float64(y), float64(z)
	sum := float64(product + addend)
	const below, half = 1<<29 - 1, 1 << 28
	if bits := math.Float64bits(sum); bits&below != half && math.Abs(sum) >= 0x1p-126 {
		return float32(sum)
	}
	return float32(oddSum(product, addend, sum))
}

// oddSum returns the sum of a and b, which rounds to sum, rounded to odd: where it is not exact, to the one of its two
// neighbours whose last bit is 1.
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
