package dtype

import "fmt"

// Kind is the family of a [Type]: what its values are, whatever their size.
type Kind uint8

// The kinds, from the narrowest set of values to the widest.
const (
	KindInvalid Kind = iota // of a type that is not valid
	KindBool
	KindInt
	KindUint
	KindFloat // float8 to float64, and bfloat16
	KindComplex
)

// String returns the name in lower case, such as "uint".
func (k Kind) String() string {
	switch k {
	case KindInvalid:
		return "invalid"
	case KindBool:
		return "bool"
	case KindInt:
		return "int"
	case KindUint:
		return "uint"
	case KindFloat:
		return "float"
	case KindComplex:
		return "complex"
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}
