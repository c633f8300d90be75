package dtype

import "fmt"

// Casting says which conversions between types are allowed, as the casting argument of NumPy's
// functions does. Each rule allows what those before it allow. The zero value is the strictest.
type Casting uint8

// The casting rules.
const (
	CastNo         Casting = iota // the same type only
	CastEquiv                     // as CastNo: byte order, which it lets differ, is always little-endian here
	CastSafe                      // every value has its counterpart, as NumPy sees it
	CastSameKind                  // safe, or to a type of the same kind or a wider one: float64 to float32
	CastUnsafe                    // any, by [Convert]
	CastSaturating                // any, by [ConvertSaturating]; NumPy has no such rule
)

var castings = [...]string{"no", "equiv", "safe", "same_kind", "unsafe", "saturating"}

// String returns the rule as NumPy spells it, such as "same_kind".
func (c Casting) String() string {
	if int(c) >= len(castings) {
		return fmt.Sprintf("Casting(%d)", uint8(c))
	}
	return castings[c]
}

// ParseCasting reads a rule as [Casting.String] writes it.
func ParseCasting(text string) (Casting, error) {
	for c, name := range castings {
		if name == text {
			return Casting(c), nil
		}
	}
	return CastNo, fmt.Errorf("unknown casting %.40q: expected no, equiv, safe, same_kind, unsafe or saturating", text)
}

// CanCast reports whether the rule allows a conversion from one type to another; it never does for
// a type that is not valid.
//
// The rules are numpy.can_cast of NumPy 2. So int64 to float64 counts as safe, though large
// integers are rounded. What is safe for bfloat16 and float8 is that of ml_dtypes 0.6:
//
//	from              is safe to
//	bool              every type
//	int8              int8 and wider, every float and complex type
//	int16             int16 and wider, float32, float64, complex64, complex128
//	int32, int64      itself and wider, float64, complex128
//	uint8             uint8 and wider, int16 and wider, every float and complex type
//	uint16            uint16 and wider, int32 and wider, float32, float64, complex64, complex128
//	uint32            uint32, uint64, int64, float64, complex128
//	uint64            uint64, float64, complex128
//	float8, 16-bit    itself, float32, float64, complex64, complex128
//	float32           float32, float64, complex64, complex128
//	float64           float64, complex128
//	complex64         complex64, complex128
//	complex128        complex128
//
// The order of kinds for [CastSameKind] is bool, uint, int, float, complex. ml_dtypes strays from
// it for its own types (complex64 to bfloat16 is "same_kind" there, bfloat16 to float16 is not);
// CanCast doesn't.
func CanCast(from, to Type, rule Casting) bool {
	if !from.Valid() || !to.Valid() {
		return false
	}
	switch rule {
	case CastNo, CastEquiv:
		return from == to
	case CastSafe:
		return safeCasts[from].has(to)
	case CastSameKind:
		return safeCasts[from].has(to) || kindOrder[from.Kind()] <= kindOrder[to.Kind()]
	case CastUnsafe, CastSaturating:
		return true
	}
	return false
}

// kindOrder is the order of kinds in which casting goes upwards.
var kindOrder = [...]int{KindBool: 1, KindUint: 2, KindInt: 3, KindFloat: 4, KindComplex: 5}

// A typeSet is a set of types, one bit each.
type typeSet uint32

func setOf(types ...Type) (set typeSet) {
	for _, t := range types {
		set |= 1 << t
	}
	return set
}

func (set typeSet) has(t Type) bool { return set>>t&1 != 0 }

// safeCasts lists what each type can safely be cast to: the table of [CanCast].
var safeCasts = [numTypes]typeSet{
	Bool:         setOf(All()...),
	Int8:         setOf(Int8, Int16, Int32, Int64, Float16, BFloat16, Float8E4M3FN, Float8E5M2, Float32, Float64, Complex64, Complex128),
	Int16:        setOf(Int16, Int32, Int64, Float32, Float64, Complex64, Complex128),
	Int32:        setOf(Int32, Int64, Float64, Complex128),
	Int64:        setOf(Int64, Float64, Complex128),
	Uint8:        setOf(All()...) &^ setOf(Bool, Int8),
	Uint16:       setOf(Uint16, Uint32, Uint64, Int32, Int64, Float32, Float64, Complex64, Complex128),
	Uint32:       setOf(Uint32, Uint64, Int64, Float64, Complex128),
	Uint64:       setOf(Uint64, Float64, Complex128),
	Float16:      setOf(Float16, Float32, Float64, Complex64, Complex128),
	BFloat16:     setOf(BFloat16, Float32, Float64, Complex64, Complex128),
	Float8E4M3FN: setOf(Float8E4M3FN, Float32, Float64, Complex64, Complex128),
	Float8E5M2:   setOf(Float8E5M2, Float32, Float64, Complex64, Complex128),
	Float32:      setOf(Float32, Float64, Complex64, Complex128),
	Float64:      setOf(Float64, Complex128),
	Complex64:    setOf(Complex64, Complex128),
	Complex128:   setOf(Complex128),
}
