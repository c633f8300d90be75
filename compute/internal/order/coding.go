package order

import (
	"fmt"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// A Coding turns elements of one type into keys and back. A key has as many bits as the element; it
// is kept in 32 bits where that is enough, else in 64.
type Coding struct {
	dtype  dtype.Type
	flip   uint64 // which bits of a negative float are inverted beside its sign
	sign   uint64
	offset uint64 // what the key of minus infinity would be otherwise
	nan    uint64 // the lowest key of a NaN
}

// CodingOf returns the Coding of a type; ok is false if its elements have no keys of 64 bits: those
// of complex128 have a Wide.
func CodingOf(t dtype.Type) (c Coding, ok bool) {
	c = Coding{dtype: t, nan: ^uint64(0)}
	bits := uint(8 * t.Size())
	switch t.Kind() {
	case dtype.KindInt:
		c.sign = 1 << (bits - 1)
	case dtype.KindFloat:
		c.sign, c.flip = 1<<(bits-1), 1<<(bits-1)-1
		largest := c.limit()
		c.offset = ^(largest | c.sign) & (c.sign | c.flip)
		c.nan = (largest|c.sign)&(c.sign|c.flip) - c.offset + 1
	case dtype.KindComplex:
		c.nan = complexNaN << 32
		return c, t == dtype.Complex64
	}
	return c, t.Valid()
}

// limit returns the bits of the largest element that is not NaN.
func (c Coding) limit() uint64 {
	switch c.dtype {
	case dtype.Float64:
		return 0x7ff0 << 48
	case dtype.Float32:
		return 0x7f80 << 16
	case dtype.Float16:
		return 0x7c00
	case dtype.BFloat16:
		return 0x7f80
	case dtype.Float8E4M3FN:
		return 0x7e
	case dtype.Float8E5M2:
		return 0x7c
	}
	panic(fmt.Sprintf("BUG: order: the largest element of type %v", c.dtype))
}

// Bits returns the number of bits of a key.
func (c Coding) Bits() int { return 8 * c.dtype.Size() }

// Wide reports whether keys have more than 32 bits.
func (c Coding) Wide() bool { return c.dtype.Size() > 4 }

// IsNaN reports whether a key stands for a NaN, or for a complex number with one.
func (c Coding) IsNaN(key uint64) bool { return c.hasNaN() && key >= c.nan }

func (c Coding) hasNaN() bool { return c.nan != ^uint64(0) }

// zero returns the key of 0 of a float type, which comes after the key of -0. For other types it
// returns a key that no element has.
func (c Coding) zero() uint64 {
	if c.dtype.Kind() != dtype.KindFloat {
		return 0
	}
	return c.sign - c.offset
}

// A Key is an unsigned integer in the order of elements.
type Key interface{ uint32 | uint64 }

type raw interface {
	uint8 | uint16 | uint32 | uint64
}

// Encode sets keys to those of packed, aligned elements.
func Encode[K Key](c Coding, keys []K, elems []byte) {
	switch {
	case c.dtype == dtype.Complex64:
		encodeComplex(keys, words[uint64](elems))
	case c.dtype == dtype.Bool:
		for i, b := range elems[:len(keys)] {
			keys[i] = K((b | -b) >> 7)
		}
	case c.dtype.Size() == 1:
		encode(c, keys, words[uint8](elems))
	case c.dtype.Size() == 2:
		encode(c, keys, words[uint16](elems))
	case c.dtype.Size() == 4:
		encode(c, keys, words[uint32](elems))
	default:
		encode(c, keys, words[uint64](elems))
	}
}

func encode[K Key, R raw](c Coding, keys []K, elems []R) {
	top, flip, sign, offset := 8*unsafe.Sizeof(*new(R))-1, R(c.flip), R(c.sign), R(c.offset)
	elems = elems[:len(keys)]
	for i, r := range elems {
		keys[i] = K((r ^ (-(r>>top)&flip | sign)) - offset)
	}
}

// EncodeEqual is Encode with one key for 0 and -0, and one for all NaNs; of complex numbers, for
// NaNs that have the same number beside them.
func EncodeEqual[K Key](c Coding, keys []K, elems []byte) {
	Encode(c, keys, elems)

	if c.dtype == dtype.Complex64 {
		mergeZeros(any(keys).([]uint64))
		return
	}

	if !c.hasNaN() {
		return
	}

	// Keys ascend: -0 is just below 0, and what is above nan are other NaNs.
	zero, nan := K(c.zero()), K(c.nan)
	for i, k := range keys {
		if k == zero-1 {
			keys[i] = zero
		}
		if k > nan {
			keys[i] = nan
		}
	}
}

// Decode is the reverse of Encode.
func Decode[K Key](c Coding, elems []byte, keys []K) {
	switch {
	case c.dtype == dtype.Complex64:
		decodeComplex(words[uint64](elems), keys)
	case c.dtype.Size() == 1:
		decode(c, words[uint8](elems), keys)
	case c.dtype.Size() == 2:
		decode(c, words[uint16](elems), keys)
	case c.dtype.Size() == 4:
		decode(c, words[uint32](elems), keys)
	default:
		decode(c, words[uint64](elems), keys)
	}
}

func decode[K Key, R raw](c Coding, elems []R, keys []K) {
	top, flip, sign, offset := 8*unsafe.Sizeof(*new(R))-1, R(c.flip), R(c.sign), R(c.offset)
	elems = elems[:len(keys)]
	for i, k := range keys {
		r := R(k) + offset
		elems[i] = r ^ ((r>>top-1)&flip | sign)
	}
}

// Scalar returns the element of a key.
func (c Coding) Scalar(key uint64) dtype.Scalar {
	var room [8]byte
	Decode(c, room[:c.dtype.Size()], []uint64{key})
	return dtype.Load(c.dtype, room[:c.dtype.Size()])
}

// words is b, which is aligned, seen as elements of T.
func words[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}
