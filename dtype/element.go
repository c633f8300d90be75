package dtype

import "unsafe"

// Element is the set of Go types whose values are elements of a tensor, one for each [Type].
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 |
		F16 | BF16 | F8E4M3FN | F8E5M2 | float32 | float64 | complex64 | complex128
}

// Of returns the type whose elements are T.
func Of[T Element]() Type {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case F16:
		return Float16
	case BF16:
		return BFloat16
	case F8E4M3FN:
		return Float8E4M3FN
	case F8E5M2:
		return Float8E5M2
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	case complex128:
		return Complex128
	}
	panic("BUG: dtype: Element without a Type")
}

// elems is b seen as elements of T. The caller has checked the alignment; bytes beyond the last
// whole element are left out.
func elems[T Element](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// aligned reports whether b starts where elements of t may be loaded.
func aligned(b []byte, t Type) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))&uintptr(t.info().part-1) == 0
}
