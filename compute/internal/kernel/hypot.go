package kernel

import "math"

// hypot returns √(x² + y²), infinite if either is. It is the fused algorithm of Borges, "An
// Improved Algorithm for hypot(a,b)" (arXiv:1904.09481): the root, corrected by the error of its
// square. It is nearly always the nearest number.
func hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if y > x {
		x, y = y, x
	}
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0): // y too, where x is NaN
		return math.Inf(1)
	case y <= x*0x1p-54:
		return x + y
	case x > 0x1p511:
		return hypotScaled(x, y, 0x1p-600)
	case y < 0x1p-459:
		return hypotScaled(x, y, 0x1p600)
	}
	return hypotOrdered(x, y)
}

// hypotScaled keeps the squares within range.
func hypotScaled(x, y, scale float64) float64 {
	return float64(hypotOrdered(x*scale, y*scale) / scale)
}

// hypotOrdered returns hypot of x ≥ y > 0, or NaN.
func hypotOrdered(x, y float64) float64 {
	h := math.Sqrt(math.FMA(x, x, float64(y*y)))
	hh, xx := float64(h*h), float64(x*x)
	correction := math.FMA(-y, y, hh-xx) + math.FMA(h, h, -hh) - math.FMA(x, x, -xx)
	return h - float64(correction/(h+h))
}
