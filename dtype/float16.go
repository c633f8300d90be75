package dtype

import "math"

// F16 is an IEEE 754 binary16 number: 5 bits of exponent, 10 of mantissa. It is the element of
// [Float16].
type F16 uint16

// ToF16 rounds f to the nearest F16, ties to even. Values from 65520 on become infinite.
func ToF16(f float32) F16 {
	const (
		minNormal = 0x38800000 // 2⁻¹⁴
		overflow  = 0x47800000 // 2¹⁶
		rebias    = (127 - 15) << 23
	)

	bits := math.Float32bits(f)
	sign, mag := F16(bits>>16&0x8000), bits&0x7fffffff
	switch {
	case mag > 0x7f800000:
		return sign | 0x7e00
	case mag >= overflow:
		return sign | 0x7c00
	case mag < minNormal:
		// The last mantissa bit of 0.5 is worth 2⁻²⁴, the smallest F16: the sum is rounded there.
		sum := math.Float32bits(math.Float32frombits(mag) + 0.5)
		return sign | F16(sum-0x3f000000)
	}

	// Round to even: half of the last place less one, plus the last bit that stays, carries exactly
	// if the value is to be rounded up. A carry out of the mantissa makes the next exponent.
	mag += 0xfff + mag>>13&1
	return sign | F16((mag-rebias)>>13)
}

// Float32 returns the value of h, exactly.
func (h F16) Float32() float32 {
	sign, mag := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	switch {
	case mag >= 0x7c00:
		return math.Float32frombits(sign | 0x7f800000 | mag<<13)
	case mag < 0x400:
		return math.Float32frombits(sign | math.Float32bits(float32(mag)*0x1p-24))
	}
	return math.Float32frombits(sign | (mag<<13 + (127-15)<<23))
}

// String returns h as NumPy prints a float16, such as "0.1".
func (h F16) String() string { return ScalarOf(h).String() }
