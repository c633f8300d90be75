package order

import "github.com/tstore/tstore/dtype"

// Complex numbers are in the order of their real, then of their imaginary parts. Those with a NaN come after all others, as
// in NumPy: first those with a real part, in the order of it, then those with an imaginary one, then those with neither.
const (
	complexNaN = 0xfffffffd + iota // the imaginary part is NaN: no float32 that is no NaN has a key as high
	complexRealNaN
	complexBothNaN
)

var partCoding, _ = CodingOf(dtype.Float32)

func encodeComplex[K Key](keys []K, elems []uint64) {
	var parts [2]uint32
	nan := uint32(partCoding.nan)
	for i, e := range elems[:len(keys)] {
		encode(partCoding, parts[:], []uint32{uint32(e), uint32(e >> 32)})
		re, im := parts[0], parts[1]
		switch {
		case re < nan && im < nan:
		case re < nan:
			re, im = complexNaN, re
		case im < nan:
			re = complexRealNaN
		default:
			re, im = complexBothNaN, 0
		}
		keys[i] = K(uint64(re)<<32 | uint64(im))
	}
}

func decodeComplex[K Key](elems []uint64, keys []K) {
	var parts [2]uint32
	nan := uint32(partCoding.nan)
	for i, k := range keys {
		re, im := uint32(uint64(k)>>32), uint32(k)
		switch re {
		case complexNaN:
			re, im = im, nan
		case complexRealNaN:
			re = nan
		case complexBothNaN:
			re, im = nan, nan
		}
		decode(partCoding, parts[:], []uint32{re, im})
		elems[i] = uint64(parts[1])<<32 | uint64(parts[0])
	}
}

// mergeZeros gives parts that are -0 the key of 0.
func mergeZeros(keys []uint64) {
	zero := uint32(partCoding.zero())
	for i, k := range keys {
		re, im := uint32(k>>32), uint32(k)
		if re == zero-1 {
			re++
		}
		if im == zero-1 && re != complexBothNaN {
			im++
		}
		keys[i] = uint64(re)<<32 | uint64(im)
	}
}
