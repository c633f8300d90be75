package dtype

// aliases are NumPy's other names of types, except those whose size depends on the platform
// ("long", and the codes l, L, p and P).
var aliases = map[string]Type{
	"bool_":     Bool,
	"byte":      Int8,
	"ubyte":     Uint8,
	"short":     Int16,
	"ushort":    Uint16,
	"intc":      Int32,
	"uintc":     Uint32,
	"int":       Int64,
	"int_":      Int64,
	"uint":      Uint64,
	"longlong":  Int64,
	"ulonglong": Uint64,
	"half":      Float16,
	"single":    Float32,
	"float":     Float64,
	"double":    Float64,
	"csingle":   Complex64,
	"cdouble":   Complex128,
	"complex":   Complex128,
}

// charCodes are NumPy's codes of one character, which a byte order may precede.
var charCodes = map[string]Type{
	"b": Int8, "h": Int16, "i": Int32, "q": Int64,
	"B": Uint8, "H": Uint16, "I": Uint32, "Q": Uint64,
	"e": Float16, "f": Float32, "d": Float64,
	"F": Complex64, "D": Complex128,
}
