package order

import "github.com/tstore/tstore/dtype"

// Complex numbers are ordered by their real and then by their imaginary parts. As in NumPy, numbers
// with a NaN come after all others: first those with a real part, in its order, then those with an
// imaginary part, then those with neither.
//
// A key has the key of the real part above the key of the imaginary part. Real parts -0 and 0 are
// equal, so the imaginary part decides. Their keys are neighbours, and have room for the sign of
// the real part below the imaginary part.
const (
	complexNaN = 0xfffffffd + iota // the imaginary part is NaN: no float32 that is no NaN has a key as high
	complexRealNaN
	complexBothNaN
)

var (
	partCoding, _ = CodingOf(dtype.Float32)
	partZero      = uint32(partCoding.zero())    // of 0, one more than that of -0
	zeroReal      = uint64(partZero-1) << 32     // the first key with a real part of -0 or 0
	behindZero    = (uint64(partZero) + 1) << 32 // the first one behind them
)

// encodeComplex sets keys to the keys of complex64 elements: the key of the real part above the key
// of the imaginary part. NaNs come last, by which of the parts is NaN.
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

		key := uint64(re)<<32 | uint64(im)
		// 0 and -0 as real parts have two neighbouring keys but are equal: the imaginary part
		// decides, and the sign of the real zero is the lowest bit.
		if key >= zeroReal && key < behindZero {
			key = zeroReal + uint64(im)<<1 + key>>32 - zeroReal>>32
		}

		keys[i] = K(key)
	}
}

// decodeComplex is the reverse of encodeComplex.
func decodeComplex[K Key](elems []uint64, keys []K) {
	var parts [2]uint32
	nan := uint32(partCoding.nan)
	for i, k := range keys {
		key := uint64(k)
		re, im := uint32(key>>32), uint32(key)

		switch {
		// Undo what encodeComplex has done with NaNs, and with real parts of 0.
		case re == complexNaN:
			re, im = im, nan
		case re == complexRealNaN:
			re = nan
		case re == complexBothNaN:
			re, im = nan, nan
		case key >= zeroReal && key < behindZero:
			re, im = partZero-1+uint32(key&1), uint32((key-zeroReal)>>1)
		}

		decode(partCoding, parts[:], []uint32{re, im})
		elems[i] = uint64(parts[1])<<32 | uint64(parts[0])
	}
}

// mergeZeros makes keys one that differ in the signs of zeros.
func mergeZeros(keys []uint64) {
	for i, key := range keys {
		_, keys[i] = alikeComplex(key)
	}
}

// alikeComplex returns the first and the last of the keys that differ from one in the signs of
// zeros.
func alikeComplex(key uint64) (low, high uint64) {
	part, signs := key, uint64(0)
	if key >= zeroReal && key < behindZero {
		part, signs = (key-zeroReal)>>1, 1
	}
	low, high = key&^signs, key|signs
	switch uint32(part) {
	case partZero - 1:
		high += 1 + signs
	case partZero:
		low -= 1 + signs
	}
	return low, high
}
