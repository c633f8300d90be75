package dtype

import "math"

// F8E4M3FN is an 8-bit float with 4 bits of exponent and 3 of mantissa, as "FP8 Formats for Deep
// Learning" (arXiv:2209.05433) defines E4M3: no infinity, the one NaN is 0x7f (0xff when negative),
// and ±448 is the largest value. It is the element of [Float8E4M3FN].
type F8E4M3FN uint8

// F8E5M2 is an 8-bit float with 5 bits of exponent and 2 of mantissa: the upper half of an [F16],
// infinities included. It is the element of [Float8E5M2].
type F8E5M2 uint8

// ToF8E4M3FN rounds f to the nearest F8E4M3FN, ties to even. Infinities, and values that round
// beyond 448, become NaN.
func ToF8E4M3FN(f float32) F8E4M3FN { return F8E4M3FN(toE4M3FN(f, 0x7f)) }

// ToF8E5M2 rounds f to the nearest F8E5M2, ties to even. Values from 61440 on become infinite.
func ToF8E5M2(f float32) F8E5M2 { return F8E5M2(toE5M2(f, 0x7c)) }

// toE4M3FN rounds f, and gives what rounds beyond the largest number the code over.
func toE4M3FN(f float32, over uint32) byte {
	bits := math.Float32bits(f)
	sign, mag := byte(bits>>24&0x80), bits&0x7fffffff
	if mag > 0x7f800000 {
		return sign | 0x7f
	}
	return sign | byte(roundMagnitude(mag, 3, 7, over))
}

// toE5M2 is as toE4M3FN.
func toE5M2(f float32, over uint32) byte {
	bits := math.Float32bits(f)
	sign, mag := byte(bits>>24&0x80), bits&0x7fffffff
	if mag > 0x7f800000 {
		return sign | 0x7e
	}
	return sign | byte(roundMagnitude(mag, 2, 15, over))
}

// Float32 returns the value of v, exactly.
func (v F8E4M3FN) Float32() float32 {
	sign, mag := uint32(v&0x80)<<24, uint32(v&0x7f)
	switch {
	case mag == 0x7f:
		return math.Float32frombits(sign | 0x7fc00000)
	case mag < 8:
		return math.Float32frombits(sign | math.Float32bits(float32(mag)*0x1p-9))
	}
	return math.Float32frombits(sign | (mag<<20 + (127-7)<<23))
}

// Float32 returns the value of v, exactly.
func (v F8E5M2) Float32() float32 { return F16(uint16(v) << 8).Float32() }

// String returns v as [Scalar.String] spells a float8_e4m3fn, such as "448.0".
func (v F8E4M3FN) String() string { return ScalarOf(v).String() }

// String returns v as [Scalar.String] spells a float8_e5m2, such as "1.5".
func (v F8E5M2) String() string { return ScalarOf(v).String() }

// The values of all float8 numbers, for loops.
var (
	widenE4M3FN = widenAll(func(code byte) float32 { return F8E4M3FN(code).Float32() })
	widenE5M2   = widenAll(func(code byte) float32 { return F8E5M2(code).Float32() })
)

func widenAll(widen func(code byte) float32) (table [256]float32) {
	for code := range table {
		table[code] = widen(byte(code))
	}
	return table
}
