package dtype

// ConvertSaturating converts as [Convert] does, but what the destination can't hold becomes the
// nearest value that it can:
//
//   - integers, and floats once their fraction is dropped, are clamped to the range of
//     an integer type, and NaN becomes 0, as Rust's "as" converts floats;
//   - numbers beyond the largest of a float8 type, infinities included, become that one
//     with their sign, and NaN stays NaN, as in ONNX's Cast with saturate=1.
//
// Conversion to bool, to floats of 16 bits and more and to complex types is that of [Convert]: they
// have infinities for numbers beyond their range, and neither Rust nor ONNX saturates there.
// Between equal types nothing changes.
//
// Lengths, alignment and concurrency are as for [Convert].
func ConvertSaturating(dst []byte, to Type, src []byte, from Type) {
	convertAny(dst, to, src, from, true)
}

// ConvertSaturating returns the value as type to, which must be valid, by the rules of the function
// [ConvertSaturating]. The zero Scalar can't be converted.
func (s Scalar) ConvertSaturating(to Type) Scalar { return s.convert(to, true) }

// clamps reports whether saturating conversion of the pair differs from [Convert].
func clamps(to, from Type) bool {
	switch to.Kind() {
	case KindInt, KindUint:
		return from != Bool
	case KindFloat:
		return to.Size() == 1 && from != Bool
	}
	return false
}

// clamp is [direct] for saturating conversion, of a pair that [clamps].
func clamp(dst []byte, to Type, src []byte, from Type) bool {
	switch to {
	case Int8:
		return clampInteger(elems[int8](dst), to, src, from)
	case Int16:
		return clampInteger(elems[int16](dst), to, src, from)
	case Int32:
		return clampInteger(elems[int32](dst), to, src, from)
	case Int64:
		return clampInteger(elems[int64](dst), to, src, from)
	case Uint8:
		return clampInteger(elems[uint8](dst), to, src, from)
	case Uint16:
		return clampInteger(elems[uint16](dst), to, src, from)
	case Uint32:
		return clampInteger(elems[uint32](dst), to, src, from)
	case Uint64:
		return clampInteger(elems[uint64](dst), to, src, from)
	case Float8E4M3FN:
		return clampE4M3FN(dst, src, from)
	case Float8E5M2:
		return clampE5M2(dst, src, from)
	}
	return false
}

func clampInteger[D integer](dst []D, to Type, src []byte, from Type) bool {
	r := rangeOf[D](to)
	switch from {
	case Int8:
		return clampSigned(dst, elems[int8](src), r)
	case Int16:
		return clampSigned(dst, elems[int16](src), r)
	case Int32:
		return clampSigned(dst, elems[int32](src), r)
	case Int64:
		return clampSigned(dst, elems[int64](src), r)
	case Uint8:
		return clampUnsigned(dst, elems[uint8](src), r)
	case Uint16:
		return clampUnsigned(dst, elems[uint16](src), r)
	case Uint32:
		return clampUnsigned(dst, elems[uint32](src), r)
	case Uint64:
		return clampUnsigned(dst, elems[uint64](src), r)
	case Float32:
		return clampFloat(dst, elems[float32](src), r)
	case Float64:
		return clampFloat(dst, elems[float64](src), r)
	}
	return false
}

// limits is the range of an integer type.
type limits[D integer] struct{ least, most D }

func rangeOf[D integer](t Type) limits[D] {
	bits := 8 * t.Size()
	if t.Kind() == KindUint {
		return limits[D]{0, ^D(0)}
	}
	least := D(1) << (bits - 1)
	return limits[D]{least, ^least}
}

func clampSigned[D, S integer](dst []D, src []S, r limits[D]) bool {
	least, most := int64(r.least), int64(min(uint64(r.most), 1<<63-1))
	return each(dst, src, func(v S) D { return D(min(max(int64(v), least), most)) })
}

func clampUnsigned[D, S integer](dst []D, src []S, r limits[D]) bool {
	most := uint64(r.most)
	return each(dst, src, func(v S) D { return D(min(uint64(v), most)) })
}

// clampFloat converts only what lies between the limits, where Go defines the result. Both bounds
// are powers of two, or 0, and so exact in either float type.
func clampFloat[D integer, S float](dst []D, src []S, r limits[D]) bool {
	least, beyond := S(r.least), 2*S(r.most/2+1)

	if most := S(r.most); most < beyond { // exact in S, so that no branch is needed but for NaN
		return each(dst, src, func(v S) D {
			if v != v {
				return 0
			}
			return D(min(max(v, least), most))
		})
	}

	// S(r.most) rounds up to beyond, which does not fit in D: compare instead.
	return each(dst, src, func(v S) D {
		switch {
		case v >= beyond:
			return r.most
		case v > least:
			return D(v)
		case v != v:
			return 0
		}
		return r.least
	})
}

// The float8 formats, with the largest number in place of what overflows.
var (
	finiteF8E4M3FN = smallFloat{width: 8, man: 3, bias: 7, nan: 0x7f, over: 0x7e}
	finiteF8E5M2   = smallFloat{width: 8, man: 2, bias: 15, nan: 0x7e, over: 0x7b}
)

func clampE4M3FN(dst, src []byte, from Type) bool {
	switch from {
	case Float32:
		return each(dst, elems[float32](src), func(v float32) byte { return toE4M3FN(v, 0x7e) })
	case Float64:
		return each(dst, elems[float64](src), func(v float64) byte { return byte(finiteF8E4M3FN.narrow(v)) })
	}
	return false
}

func clampE5M2(dst, src []byte, from Type) bool {
	switch from {
	case Float32:
		return each(dst, elems[float32](src), func(v float32) byte { return toE5M2(v, 0x7b) })
	case Float64:
		return each(dst, elems[float64](src), func(v float64) byte { return byte(finiteF8E5M2.narrow(v)) })
	}
	return false
}
