package dtype

import (
	"errors"
	"fmt"
)

// ErrAmbiguous is the error for a void code ("<V2", "|V1"): bfloat16 and float8 elements are stored
// under it, and it does not say which. The type has to come from elsewhere.
var ErrAmbiguous = errors.New("void code does not say which type it holds")

// ParseDescr reads the descr of a .npy header: a byte order ('<', '>', '=', '|' or none) and a
// code, or a name, such as "int32", which NumPy reads too. swapped says that the elements are
// big-endian and need [SwapBytes]; it is false for types whose components are single bytes. "<f1",
// which ml_dtypes writes, is float8_e5m2.
//
// A void code of one or two bytes gives an error that is [ErrAmbiguous]; swapped is right even
// then.
func ParseDescr(s string) (t Type, swapped bool, err error) {
	code, big := cutOrder(s)
	switch code {
	case "V1":
		return Invalid, false, fmt.Errorf("dtype %q: %w: float8_e4m3fn, float8_e5m2 or plain bytes", s, ErrAmbiguous)
	case "V2":
		return Invalid, big, fmt.Errorf("dtype %q: %w: bfloat16 or plain bytes", s, ErrAmbiguous)
	case "f1":
		return Float8E5M2, false, nil
	case "?":
		return Bool, false, nil
	}

	if t, ok := byName(s); ok {
		return t, false, nil
	}

	if t, ok := charCodes[code]; ok {
		return t, big && t.info().part > 1, nil
	}

	for t := Invalid + 1; t < numTypes; t++ {
		if types[t].code[1:] == code {
			return t, big && types[t].part > 1, nil
		}
	}

	return Invalid, false, unknown(s)
}

// cutOrder splits the byte order from a code. '=' is the order of the host that wrote it, which is
// taken to be little-endian.
func cutOrder(s string) (code string, big bool) {
	if s == "" {
		return "", false
	}
	switch s[0] {
	case '>':
		return s[1:], true
	case '<', '=', '|':
		return s[1:], false
	}
	return s, false
}
