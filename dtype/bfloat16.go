package dtype

import "math"

// BF16 is a bfloat16 number: the upper half of a float32, with 8 bits of exponent and 7 of
// mantissa. It is the element of [BFloat16].
type BF16 uint16

// ToBF16 rounds f to the nearest BF16, ties to even. Values beyond the largest by half a step or
// more become infinite.
func ToBF16(f float32) BF16 {
	bits := math.Float32bits(f)
	if bits&0x7fffffff > 0x7f800000 {
		return BF16(bits>>16&0x8000 | 0x7fc0)
	}
	return BF16((bits + 0x7fff + bits>>16&1) >> 16)
}

// Float32 returns the value of b, exactly.
func (b BF16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// String returns b as [Scalar.String] spells a bfloat16, such as "0.1".
func (b BF16) String() string { return ScalarOf(b).String() }
