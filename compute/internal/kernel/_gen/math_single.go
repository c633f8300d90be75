package main

import "github.com/mmcloughlin/avo/operand"

// A single emits instructions on float32s. Each step is that of the function in Go of the same
// name, with the same roundings.
type single struct{ real }

// The bits of float32s.
const (
	oneBits32      = 0x3f800000
	infinityBits32 = 0x7f800000

	powerBiasBits32 = 0x4b40007f // of roundBias32 + 127
)

// poly32 is the polynomial with the n coefficients in a table.
func (s single) poly32(x value, table string, n int) value { return s.poly(x, table, n) }

// A sum32 is the sum of two vectors, as a pair32 in Go.
type sum32 struct{ hi, lo value }

// fastSum32 is a + b where |a| ≥ |b|.
func (s single) fastSum32(a, b value) sum32 {
	hi := s.add(a, b)
	return sum32{hi, s.add(s.sub(a, hi), b)}
}

// minus is -a.
func (s single) minus(a value) value { return s.xor(a, s.inRegister(s.signBits())) }

// float is a vector of integers as floats.
func (s single) float(a value) value { return s.op(s.VCVTDQ2PS, a) }

// scale32 is p·2^n with one rounding, for an integer n.
func (s single) scale32(p, n value) value {
	if s.wide() {
		return s.op(s.VSCALEFPS, n, p)
	}
	biased := s.add(n, s.get("roundBias32"))
	half := s.op(s.VPSRAD, operand.U8(1), biased)
	return s.mul(s.mul(p, s.shifted(half)), s.shifted(s.subBits(biased, half)))
}

// shifted is 2^n where n is in the low bits.
func (s single) shifted(n value) value {
	return s.shiftLeft(s.addBits(n, s.inRegister(exponentBias32)), 23)
}

const exponentBias32 = 127

// power32 is 2^n, or 0 for n < -126.
func (s single) power32(n value) value {
	if s.wide() {
		return s.op(s.VSCALEFPS, n, s.inRegister(oneBits32))
	}
	return s.shiftLeft(s.more(s.add(n, s.inRegister(powerBiasBits32)), s.get("roundBias32")), 23)
}
