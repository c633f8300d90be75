package dtype

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

// direct converts aligned elements by one loop over typed slices. It reports false, having done
// nothing, where the pair has no loop of its own.
func direct(dst []byte, to Type, src []byte, from Type) bool {
	switch to {
	case Bool:
		return toBool(elems[bool](dst), src, from)
	case Int8:
		return toInteger(elems[int8](dst), to, src, from)
	case Int16:
		return toInteger(elems[int16](dst), to, src, from)
	case Int32:
		return toInteger(elems[int32](dst), to, src, from)
	case Int64:
		return toInteger(elems[int64](dst), to, src, from)
	case Uint8:
		return toInteger(elems[uint8](dst), to, src, from)
	case Uint16:
		return toInteger(elems[uint16](dst), to, src, from)
	case Uint32:
		return toInteger(elems[uint32](dst), to, src, from)
	case Uint64:
		return toInteger(elems[uint64](dst), to, src, from)
	case Float16:
		return toSmall(elems[F16](dst), src, from, ToF16, float64ToF16)
	case BFloat16:
		if from == Float32 {
			return each(elems[BF16](dst), elems[float32](src), ToBF16) // inlined: toSmall calls through a variable
		}
		return toSmall(elems[BF16](dst), src, from, ToBF16, float64ToBF16)
	case Float8E4M3FN:
		return toSmall(elems[F8E4M3FN](dst), src, from, ToF8E4M3FN, float64ToF8E4M3FN)
	case Float8E5M2:
		return toSmall(elems[F8E5M2](dst), src, from, ToF8E5M2, float64ToF8E5M2)
	case Float32:
		return toFloat32(elems[float32](dst), src, from)
	case Float64:
		return toFloat64(elems[float64](dst), src, from)
	case Complex64:
		return toComplex64(elems[complex64](dst), src, from)
	case Complex128:
		return toComplex128(elems[complex128](dst), src, from)
	}
	return false
}

// each sets dst to f of src. It is inlined with f, so that the loop has no call.
func each[D, S any](dst []D, src []S, f func(S) D) bool {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = f(v)
	}
	return true
}

// cast converts by Go's own conversion, for pairs where the language defines it.
func cast[D integer | float, S integer | float](dst []D, src []S) bool {
	return each(dst, src, func(v S) D { return D(v) })
}

// fromInteger converts bools and integers.
func fromInteger[D integer | float](dst []D, src []byte, from Type) bool {
	switch from {
	case Bool:
		return each(dst, src, func(v byte) D {
			if v != 0 {
				return 1
			}
			return 0
		})
	case Int8:
		return cast(dst, elems[int8](src))
	case Int16:
		return cast(dst, elems[int16](src))
	case Int32:
		return cast(dst, elems[int32](src))
	case Int64:
		return cast(dst, elems[int64](src))
	case Uint8:
		return cast(dst, elems[uint8](src))
	case Uint16:
		return cast(dst, elems[uint16](src))
	case Uint32:
		return cast(dst, elems[uint32](src))
	case Uint64:
		return cast(dst, elems[uint64](src))
	}
	return false
}

func toInteger[D integer](dst []D, to Type, src []byte, from Type) bool {
	switch from {
	case Float32:
		return truncate(dst, to, elems[float32](src))
	case Float64:
		return truncate(dst, to, elems[float64](src))
	}
	return fromInteger(dst, src, from)
}

func toFloat32(dst []float32, src []byte, from Type) bool {
	switch from {
	case Float16:
		return each(dst, elems[F16](src), F16.Float32)
	case BFloat16:
		return each(dst, elems[BF16](src), BF16.Float32)
	case Float8E4M3FN:
		return each(dst, src, func(v byte) float32 { return widenE4M3FN[v] })
	case Float8E5M2:
		return each(dst, src, func(v byte) float32 { return widenE5M2[v] })
	case Float64:
		return cast(dst, elems[float64](src))
	case Complex64:
		return each(dst, elems[complex64](src), func(v complex64) float32 { return real(v) })
	}
	return fromInteger(dst, src, from)
}

func toFloat64(dst []float64, src []byte, from Type) bool {
	switch from {
	case Float32:
		return cast(dst, elems[float32](src))
	case Complex128:
		return each(dst, elems[complex128](src), func(v complex128) float64 { return real(v) })
	}
	return fromInteger(dst, src, from)
}

// toSmall rounds to a format of 16 bits or fewer. The 64-bit integers are rounded to odd on the way
// to float64, so that the second rounding is the only one.
func toSmall[D Element](dst []D, src []byte, from Type, from32 func(float32) D, from64 func(float64) D) bool {
	switch from {
	case Float32:
		return each(dst, elems[float32](src), from32)
	case Float64:
		return each(dst, elems[float64](src), from64)
	case Uint64:
		return each(dst, elems[uint64](src), func(v uint64) D { return from64(oddFloat64(v)) })
	case Int64:
		return each(dst, elems[int64](src), func(v int64) D {
			if v < 0 {
				return from64(-oddFloat64(-uint64(v)))
			}
			return from64(oddFloat64(uint64(v)))
		})
	}
	return false
}

func toComplex64(dst []complex64, src []byte, from Type) bool {
	switch from {
	case Float32:
		return each(dst, elems[float32](src), func(v float32) complex64 { return complex(v, 0) })
	case Complex128:
		return each(dst, elems[complex128](src), func(v complex128) complex64 { return complex64(v) })
	}
	return false
}

func toComplex128(dst []complex128, src []byte, from Type) bool {
	switch from {
	case Float64:
		return each(dst, elems[float64](src), func(v float64) complex128 { return complex(v, 0) })
	case Complex64:
		return each(dst, elems[complex64](src), func(v complex64) complex128 { return complex128(v) })
	}
	return false
}

func toBool(dst []bool, src []byte, from Type) bool {
	switch from {
	case Bool, Int8, Uint8:
		return nonZero(dst, src)
	case Int16, Uint16:
		return nonZero(dst, elems[uint16](src))
	case Int32, Uint32:
		return nonZero(dst, elems[uint32](src))
	case Int64, Uint64:
		return nonZero(dst, elems[uint64](src))
	case Float32:
		return nonZero(dst, elems[float32](src))
	case Float64:
		return nonZero(dst, elems[float64](src))
	case Complex64:
		return nonZero(dst, elems[complex64](src))
	case Complex128:
		return nonZero(dst, elems[complex128](src))
	}
	return false
}

func nonZero[S Element](dst []bool, src []S) bool {
	var zero S
	return each(dst, src, func(v S) bool { return v != zero })
}
