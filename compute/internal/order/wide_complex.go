package order

import (
	"math"

	"github.com/tstore/tstore/dtype"
)

// Upper halves of the keys of elements of complex128 with a NaN, as those of complex64; see
// complexNaN.
const (
	wideNaN = math.MaxUint64 - 2 + iota
	wideRealNaN
	wideBothNaN
)

var (
	doubleCoding, _ = CodingOf(dtype.Float64)
	doubleZero      = doubleCoding.zero()
)

// EncodeWide sets keys to those of elements of complex128, packed and aligned. If equal is set,
// zeros of both signs have one key.
func EncodeWide(keys []Wide, elems []byte, equal bool) {
	flip, sign, offset, nan := doubleCoding.flip, doubleCoding.sign, doubleCoding.offset, doubleCoding.nan

	for i, z := range words[[2]uint64](elems)[:len(keys)] {
		// -(x>>63) is all ones for a negative number. flip selects which of its bits are turned
		// over, and sign makes the keys ascend as unsigned numbers.
		re := (z[0] ^ (-(z[0]>>63)&flip | sign)) - offset
		im := (z[1] ^ (-(z[1]>>63)&flip | sign)) - offset

		if equal {
			re, im = withoutSign(re), withoutSign(im)
		}

		switch {
		case re >= nan && im >= nan:
			keys[i] = Wide{wideBothNaN, 0}
		case re >= nan:
			keys[i] = Wide{wideRealNaN, im}
		case im >= nan:
			keys[i] = Wide{wideNaN, re}
		case re == doubleZero || re == doubleZero-1: // the imaginary part decides, before the sign of the real one
			keys[i] = Wide{doubleZero - 1 + im>>63, im<<1 | (re - (doubleZero - 1))}
		default:
			keys[i] = Wide{re, im}
		}
	}
}

// withoutSign returns the key of a float. For -0 it returns the key of 0.
func withoutSign(key uint64) uint64 {
	if key == doubleZero-1 {
		return doubleZero
	}
	return key
}

// DecodeWide is the reverse of EncodeWide, but for what NaNs there were.
func DecodeWide(elems []byte, keys []Wide) {
	nan := doubleCoding.nan
	for i, k := range keys {
		re, im := k.Key, k.Low
		switch re {
		case wideNaN:
			re, im = im, nan
		case wideRealNaN:
			re = nan
		case wideBothNaN:
			re, im = nan, nan
		case doubleZero - 1, doubleZero:
			re, im = doubleZero-1+im&1, (re-(doubleZero-1))<<63|im>>1
		}
		decode(doubleCoding, words[uint64](elems[16*i:16*i+16]), []uint64{re, im})
	}
}
