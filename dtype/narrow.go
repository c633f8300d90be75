package dtype

import "math"

// A smallFloat is a float format of at most 16 bits: sign, exponent, mantissa.
type smallFloat struct {
	width int    // bits in all
	man   int    // bits of the mantissa
	bias  int    // of the exponent
	nan   uint16 // the quiet NaN, without its sign
	over  uint16 // what values beyond the largest become: infinity, or the NaN where there is none
}

var (
	formatF16      = smallFloat{width: 16, man: 10, bias: 15, nan: 0x7e00, over: 0x7c00}
	formatBF16     = smallFloat{width: 16, man: 7, bias: 127, nan: 0x7fc0, over: 0x7f80}
	formatF8E4M3FN = smallFloat{width: 8, man: 3, bias: 7, nan: 0x7f, over: 0x7f}
	formatF8E5M2   = smallFloat{width: 8, man: 2, bias: 15, nan: 0x7e, over: 0x7c}
)

func float64ToF16(f float64) F16           { return F16(formatF16.narrow(f)) }
func float64ToBF16(f float64) BF16         { return BF16(formatBF16.narrow(f)) }
func float64ToF8E4M3FN(f float64) F8E4M3FN { return F8E4M3FN(formatF8E4M3FN.narrow(f)) }
func float64ToF8E5M2(f float64) F8E5M2     { return F8E5M2(formatF8E5M2.narrow(f)) }

// narrow rounds f to the nearest number of the format, ties to even, and returns its bits.
func (sf *smallFloat) narrow(f float64) uint16 {
	bits := math.Float64bits(f)
	sign := uint16(bits >> 63 << (sf.width - 1))
	exp := int(bits>>52&0x7ff) - 1023
	if f != f {
		return sign | sf.nan
	}
	if exp > sf.bias+1 {
		return sign | sf.over
	}
	minExp := 1 - sf.bias
	if exp >= minExp {
		return sign | min(roundShift(bits&(1<<52-1)|1<<52, 52-sf.man)+uint16(exp-minExp)<<sf.man, sf.over)
	}
	return sign | roundShift(bits&(1<<52-1)|1<<52, 52-sf.man+minExp-exp)
}

// roundShift is m/2^shift rounded to the nearest integer, ties to even, for m below 2⁵³: a
// subnormal's or a zero's missing leading bit drops out with the shift.
func roundShift(m uint64, shift int) uint16 {
	if shift > 54 {
		return 0
	}
	half := uint64(1) << (shift - 1)
	return uint16((m + half - 1 + m>>shift&1) >> shift)
}

// roundMagnitude is narrow for the bits of a float32 without its sign that is no NaN, and for a
// format with a narrower exponent. It is written to be inlined with constants.
func roundMagnitude(mag, man, bias, over uint32) uint32 {
	if mag < (128-bias)<<23 { // subnormal: added to this power of two, it is rounded where the format is
		power := (151 - bias - man) << 23
		return math.Float32bits(math.Float32frombits(mag)+math.Float32frombits(power)) - power
	}
	mag += 1<<(22-man) - 1 + mag>>(23-man)&1
	return min((mag-(127-bias)<<23)>>(23-man), over)
}

// oddFloat64 is u rounded to a float64 so that rounding it once more, to 40 bits or fewer, gives
// what rounding u itself would: inexact results get an odd last bit. See Boldo and Melquiond,
// "Emulation of a FMA and Correctly Rounded Sums", 2008.
func oddFloat64(u uint64) float64 {
	const low = 1<<12 - 1
	if u >= 1<<53 && u&low != 0 {
		u = u&^low | 1<<12
	}
	return float64(u)
}
