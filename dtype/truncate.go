package dtype

import "math"

// truncate converts floats to integers as x86-64 does: to int32 or int64, of which the narrower
// types take the low bits. Go leaves conversions out of range to the platform, so every one is
// checked first.
func truncate[D integer, S float](dst []D, to Type, src []S) bool {
	switch to {
	case Uint64:
		return each(dst, src, func(v S) D { return D(truncUint64(float64(v))) })
	case Int64, Uint32:
		return each(dst, src, func(v S) D { return D(truncInt64(float64(v))) })
	}
	return each(dst, src, func(v S) D { return D(truncInt32(float64(v))) })
}

func truncInt32(f float64) int32 {
	if f > -0x1p31-1 && f < 0x1p31 {
		return int32(f)
	}
	return math.MinInt32
}

func truncInt64(f float64) int64 {
	if f >= -0x1p63 && f < 0x1p63 {
		return int64(f)
	}
	return math.MinInt64
}

// truncUint64 is what compilers make of C's conversion from the signed instruction: the upper half
// of the range is shifted down and back.
func truncUint64(f float64) uint64 {
	if f >= 0x1p63 {
		return uint64(truncInt64(f-0x1p63)) ^ 1<<63
	}
	return uint64(truncInt64(f))
}
