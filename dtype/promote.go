package dtype

// Promote returns the type in which elements of two types meet: the narrowest that both can safely
// be cast to (see [CanCast]), [Invalid] if one of them is. The order of the arguments does not
// matter.
//
// It is numpy.promote_types of NumPy 2 for every pair, and that of ml_dtypes 0.6 for bfloat16 and
// float8 where there is one:
//
//	           i8   i16  i32  i64  u8   u16  u32  u64  f16  bf16 f8   f32  f64  c64  c128
//	int8       i8   i16  i32  i64  i16  i32  i64  f64  f16  bf16 f8   f32  f64  c64  c128
//	int16           i16  i32  i64  i16  i32  i64  f64  f32  f32* f32* f32  f64  c64  c128
//	int32                i32  i64  i32  i32  i64  f64  f64  f64* f64* f64  f64  c128 c128
//	int64                     i64  i64  i64  i64  f64  f64  f64* f64* f64  f64  c128 c128
//	uint8                          u8   u16  u32  u64  f16  bf16 f8   f32  f64  c64  c128
//	uint16                              u16  u32  u64  f32  f32* f32* f32  f64  c64  c128
//	uint32                                   u32  u64  f64  f64* f64* f64  f64  c128 c128
//	uint64                                        u64  f64  f64* f64* f64  f64  c128 c128
//	float16                                            f16  f32* f32* f32  f64  c64  c128
//	bfloat16                                                bf16 f32* f32  f64  c64  c128
//	float8                                                       f8** f32  f64  c64  c128
//	float32                                                           f32  f64  c64  c128
//	float64                                                                f64  c128 c128
//	complex64                                                                   c64  c128
//
// bool gives way to the other type. At the starred entries ml_dtypes has an answer, the same, for
// float8_e5m2 with float16 and with integers, and none for the other small floats; here they follow
// it. Two different float8 types (**), of which ml_dtypes has none either, meet in float32.
func Promote(a, b Type) Type {
	return narrowest(safeTargets(a) & safeTargets(b))
}

// PromoteAll returns the type in which elements of all the types meet: the narrowest that each can
// safely be cast to, as numpy.result_type of arrays. This may be narrower than promoting them pair
// by pair: uint16, int16 and float32 meet in float32, in any order. It is [Invalid] for no types,
// or if one of them is.
func PromoteAll(types ...Type) Type {
	common := setOf(All()...)
	for _, t := range types {
		common &= safeTargets(t)
	}
	if len(types) == 0 {
		return Invalid
	}
	return narrowest(common)
}

func safeTargets(t Type) typeSet {
	if !t.Valid() {
		return 0
	}
	return safeCasts[t]
}

// narrowestFirst orders types so that the first one that two types share as a safe target is the
// narrowest. Integers come before the floats that could hold them too.
var narrowestFirst = [...]Type{
	Bool, Uint8, Int8, Uint16, Int16, Uint32, Int32, Uint64, Int64,
	Float16, BFloat16, Float8E4M3FN, Float8E5M2, Float32, Float64, Complex64, Complex128,
}

func narrowest(set typeSet) Type {
	for _, t := range narrowestFirst {
		if set.has(t) {
			return t
		}
	}
	return Invalid
}

// PromoteScalar returns the type of an operation on elements of type t and a number that was
// written without a type, such as the 2 of "a * 2": bool, int, float or complex by its kind
// ([KindUint] counts as int). By NEP 50 ("Promotion rules for Python scalars") such a number is
// weak: it changes the kind of the result but not its size.
//
//	t                                   bool        int         float       complex
//	bool                                bool        int64       float64     complex128
//	int8 to int64, uint8 to uint64      t           t           float64     complex128
//	float8, float16, bfloat16, float32  t           t           t           complex64
//	float64                             t           t           t           complex128
//	complex64, complex128               t           t           t           t
//
// The value plays no part; that it fits is for [ParseScalar] to say ("300" as int8 is an error, as
// np.int8(1) + 300 is). NumPy makes float32 or float64 of bfloat16 and float8 with a float, since
// it treats the types of ml_dtypes as foreign; here they keep their size like every float.
//
// The result is [Invalid] if t or the kind is.
func PromoteScalar(t Type, kind Kind) Type {
	order := kindOrder[t.Kind()]
	switch {
	case !t.Valid() || kind == KindInvalid || kind > KindComplex:
		return Invalid
	case kind == KindUint:
		kind = KindInt
	}
	if t != Bool && kind <= KindInt || order >= kindOrder[kind] {
		return t
	}
	if kind == KindComplex && t.Kind() == KindFloat && t != Float64 {
		return Complex64
	}
	return scalarTypes[kind]
}

// scalarTypes is the type of a number of each kind that was written without one.
var scalarTypes = [...]Type{KindBool: Bool, KindInt: Int64, KindUint: Int64, KindFloat: Float64, KindComplex: Complex128}

// ResultFor returns the type of an operation on tensors of the given types and on numbers without a
// type of the given kinds, as numpy.result_type: that of [PromoteAll], and then of [PromoteScalar]
// with the widest kind. Numbers alone are bool, int64, float64 or complex128. The result is
// [Invalid] for nothing at all, or if a type or a kind is.
func ResultFor(types []Type, scalars ...Kind) Type {
	result := PromoteAll(types...)
	if len(types) == 0 && len(scalars) > 0 {
		result = Bool
	}
	widest := KindBool
	for _, kind := range scalars {
		if kind == KindInvalid || kind > KindComplex {
			return Invalid
		}
		if kindOrder[kind] > kindOrder[widest] {
			widest = kind
		}
	}
	return PromoteScalar(result, widest)
}

// ResultForDivision returns the type of a/b, the true division of NumPy: float64 for bools and
// integers, and else that of [Promote]. With b = a it is the type of a mean, too.
func ResultForDivision(a, b Type) Type {
	return PromoteScalar(Promote(a, b), KindFloat)
}

// ResultForSum returns the type of the sum or the product of elements of type t, as NumPy's sum,
// prod and cumsum: int64 for bools and signed integers, uint64 for unsigned ones, and else t.
func ResultForSum(t Type) Type {
	switch t.Kind() {
	case KindBool, KindInt:
		return Int64
	case KindUint:
		return Uint64
	case KindInvalid:
		return Invalid
	}
	return t
}

// ResultForMath returns the type of a function such as sqrt, exp or sin of elements of type t, as
// NumPy's universal functions: for bools and integers the narrowest IEEE float that they can safely
// be cast to (float16 for 8 bits, float32 for 16, float64 for more), and else t.
func ResultForMath(t Type) Type {
	if kindOrder[t.Kind()] < kindOrder[KindFloat] {
		return Promote(t, Float16)
	}
	return t
}
