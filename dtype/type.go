package dtype

import "fmt"

// Type names the type of a tensor's elements. The zero value is [Invalid]. The numbers are for use
// in memory only; on disk a type is its name.
type Type uint8

// The element types. Bool is one byte, 0 or 1. Complex types are two floats, real part first.
const (
	Invalid      Type = iota
	Bool              // one byte: 0 or 1
	Int8              // two's complement
	Int16             // two's complement
	Int32             // two's complement
	Int64             // two's complement
	Uint8             // unsigned
	Uint16            // unsigned
	Uint32            // unsigned
	Uint64            // unsigned
	Float16           // IEEE 754 binary16
	BFloat16          // the upper half of a float32
	Float8E4M3FN      // 4 bits of exponent, 3 of mantissa, NaN but no infinity
	Float8E5M2        // 5 bits of exponent, 2 of mantissa
	Float32           // IEEE 754 binary32
	Float64           // IEEE 754 binary64
	Complex64         // two float32
	Complex128        // two float64
	numTypes
)

// info is what is known of a type; see types.
type info struct {
	name string
	code string // the descr of a .npy header
	kind Kind
	size int // bytes
	part int // bytes of a component: what SwapBytes reverses, and what alignment asks
}

var types = [numTypes]info{
	Invalid:      {"invalid", "", KindInvalid, 0, 0},
	Bool:         {"bool", "|b1", KindBool, 1, 1},
	Int8:         {"int8", "|i1", KindInt, 1, 1},
	Int16:        {"int16", "<i2", KindInt, 2, 2},
	Int32:        {"int32", "<i4", KindInt, 4, 4},
	Int64:        {"int64", "<i8", KindInt, 8, 8},
	Uint8:        {"uint8", "|u1", KindUint, 1, 1},
	Uint16:       {"uint16", "<u2", KindUint, 2, 2},
	Uint32:       {"uint32", "<u4", KindUint, 4, 4},
	Uint64:       {"uint64", "<u8", KindUint, 8, 8},
	Float16:      {"float16", "<f2", KindFloat, 2, 2},
	BFloat16:     {"bfloat16", "<V2", KindFloat, 2, 2},
	Float8E4M3FN: {"float8_e4m3fn", "|V1", KindFloat, 1, 1},
	Float8E5M2:   {"float8_e5m2", "|V1", KindFloat, 1, 1},
	Float32:      {"float32", "<f4", KindFloat, 4, 4},
	Float64:      {"float64", "<f8", KindFloat, 8, 8},
	Complex64:    {"complex64", "<c8", KindComplex, 8, 4},
	Complex128:   {"complex128", "<c16", KindComplex, 16, 8},
}

// All returns every valid type, in the order of the constants. The caller owns the slice.
func All() []Type {
	all := make([]Type, 0, numTypes-1)
	for t := Invalid + 1; t < numTypes; t++ {
		all = append(all, t)
	}
	return all
}

// Valid reports whether t is one of the types that [All] lists.
func (t Type) Valid() bool { return t > Invalid && t < numTypes }

// Size returns the bytes of one element: 1, 2, 4, 8 or 16, and 0 for a type that is not valid.
func (t Type) Size() int { return t.info().size }

// Kind returns the family that t belongs to.
func (t Type) Kind() Kind { return t.info().kind }

// Part returns the type of the two parts of complex numbers, and any other type itself.
func (t Type) Part() Type {
	switch t {
	case Complex64:
		return Float32
	case Complex128:
		return Float64
	}
	return t
}

// String returns the name, such as "float32", that [Parse] reads.
func (t Type) String() string {
	if t >= numTypes {
		return fmt.Sprintf("Type(%d)", uint8(t))
	}
	return types[t].name
}

// Code returns the little-endian descr of a .npy header, such as "<f4" or "|u1". bfloat16 is "<V2"
// and the float8 types are "|V1", which NumPy loads as bytes without a meaning. The code of a type
// that is not valid is empty.
func (t Type) Code() string { return t.info().code }

func (t Type) info() *info {
	if t >= numTypes {
		return &types[Invalid]
	}
	return &types[t]
}
