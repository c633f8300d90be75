// Package dtype describes the element types of tensors: their sizes, names and codes, their values,
// conversion between them, and the types in which they meet.
//
// # Types
//
//   - [Type] names an element type at run time; [All] lists them, [Parse] and
//     [ParseDescr] read them, [Of] finds the one of a Go type.
//   - [Element] is the set of Go types that elements may have. [F16], [BF16],
//     [F8E4M3FN] and [F8E5M2] are the ones that Go itself lacks.
//   - [Scalar] is one value of any type; [ParseScalar] reads one from text.
//   - [Convert] converts packed elements in bulk, [ConvertSaturating] clamps what
//     doesn't fit, [SwapBytes] turns big-endian elements into little-endian ones.
//   - [Casting] is a rule that says which conversions are allowed: [CanCast].
//   - [Promote] and [PromoteAll] give the type in which types meet, [PromoteScalar] that of
//     a tensor and a plain number, and [ResultFor], [ResultForDivision], [ResultForSum] and
//     [ResultForMath] those of whole operations.
//
// NumPy 2 on x86-64 is the specification of codes, spelling and conversion; ml_dtypes is the one of
// the types that NumPy lacks. Results are the same bits on every platform.
//
// # Caveats
//
//   - Elements are little-endian in memory and on disk, as on every platform that
//     tstore supports. Big-endian hosts are not supported.
//   - bfloat16 and float8 have no code of their own in a .npy file: their [Type.Code]
//     is a void code, which [ParseDescr] can't tell apart.
//   - Narrowing to 16 and 8 bits rounds once, from the exact value. ml_dtypes goes
//     through float32 and so rounds twice where the source is wider than that.
//   - Promotion is that of types. Whether a plain number fits is for [ParseScalar].
//   - bfloat16 and float8 meet other types wherever NumPy's own would, also where
//     ml_dtypes has no common type and NumPy raises an error; see [Promote].
//   - A NaN stays a NaN and keeps its sign when it is narrowed; its payload may change.
package dtype
