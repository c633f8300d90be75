package ptxvm

import (
	"math"
	"math/big"
)

// A rounding is one of the four that conversions name.
type rounding struct {
	float, whole string // the modifiers: to a float, and to a whole number
	mode         big.RoundingMode
	round        func(float64) float64 // to a whole number
}

var roundings = []rounding{
	{"rn", "rni", big.ToNearestEven, math.RoundToEven},
	{"rz", "rzi", big.ToZero, math.Trunc},
	{"rm", "rmi", big.ToNegativeInf, math.Floor},
	{"rp", "rpi", big.ToPositiveInf, math.Ceil},
}

// single rounds x to a float32: Go does so to the nearest, and its neighbour is the other one.
func (r *rounding) single(x float64) float32 {
	y := float32(x)
	back := float64(y)
	switch {
	case back == x || x != x:
	case r.mode == big.ToZero && math.Abs(back) > math.Abs(x):
		return math.Nextafter32(y, 0)
	case r.mode == big.ToNegativeInf && back > x:
		return math.Nextafter32(y, float32(math.Inf(-1)))
	case r.mode == big.ToPositiveInf && back < x:
		return math.Nextafter32(y, float32(math.Inf(1)))
	}
	return y
}

// half rounds x to the bits of a float16.
func (r *rounding) half(x float64) uint64 {
	const largest = 65504
	sign := math.Float64bits(x) >> 63 << 15
	switch {
	case x != x:
		return 0x7fff
	case x == 0:
		return sign
	}

	// Numbers of this size are multiples of 2^exponent, in subnormal ones too.
	_, exponent := math.Frexp(x)
	exponent = max(exponent-11, -24)
	y := x
	if math.Abs(x) < 2*largest {
		y = math.Ldexp(r.round(math.Ldexp(x, -exponent)), exponent)
	}

	if math.Abs(y) > largest {
		inward := r.mode == big.ToZero || r.mode == big.ToNegativeInf && x > 0 || r.mode == big.ToPositiveInf && x < 0
		if inward && !math.IsInf(x, 0) {
			return sign | 0x7bff
		}
		return sign | 0x7c00
	}

	y = math.Abs(y)
	if y < 0x1p-14 {
		return sign | uint64(y*0x1p24)
	}
	fraction, e := math.Frexp(y)
	return sign | uint64(e+14)<<10 | uint64(fraction*0x1p11)&0x3ff
}

// fromHalf returns the value of a float16.
func fromHalf(a uint64) float64 {
	sign := 1 - 2*float64(a>>15)
	exponent, fraction := int(a>>10&0x1f), float64(a&0x3ff)
	switch exponent {
	case 0:
		return sign * fraction * 0x1p-24
	case 0x1f:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// ofInteger rounds an integer, given by its bits, to a float with some bits.
func (r *rounding) ofInteger(a uint64, k kind, precision uint) float64 {
	if r.mode == big.ToNearestEven && precision == 53 && k.class == 's' {
		return float64(signed(a, k.bits))
	}
	n := new(big.Float).SetPrec(precision).SetMode(r.mode)
	if k.class == 's' {
		n.SetInt64(signed(a, k.bits))
	} else {
		n.SetUint64(a & k.mask())
	}
	x, _ := n.Float64()
	return x
}

// integer rounds x to an integer of kind k, as its bits. What is out of its range becomes its end.
// NaN is 0, but the top bit where either type has 64 bits.
func (r *rounding) integer(x float64, k kind, wide bool) uint64 {
	if x != x {
		if wide {
			return 1 << (k.bits - 1)
		}
		return 0
	}

	x = r.round(x)
	most, least := k.mask(), uint64(0)
	if k.class == 's' {
		most, least = most>>1, most&^(most>>1)
	}

	switch {
	case x >= math.Ldexp(1, k.bits) || k.class == 's' && x >= math.Ldexp(1, k.bits-1):
		return most
	case k.class == 's' && x < -math.Ldexp(1, k.bits-1), k.class == 'u' && x < 0:
		return least
	case k.class == 's':
		return uint64(int64(x)) & k.mask()
	}
	return uint64(x)
}
