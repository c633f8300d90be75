package number

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tstore/tstore/dtype"
)

// A Number is written without a type. As in Python it is a bool, an integer of any size, a float64
// or a complex128. It takes the type of the operand it meets (NEP 50).
type Number struct {
	Kind    dtype.Kind // KindBool, KindInt, KindFloat or KindComplex
	Int     *big.Int   // of a bool (0 or 1) or an integer; never changed
	Complex complex128 // of a float or a complex number
}

// Bool returns v as a number.
func Bool(v bool) Number {
	if v {
		return Number{Kind: dtype.KindBool, Int: big.NewInt(1)}
	}
	return Number{Kind: dtype.KindBool, Int: new(big.Int)}
}

// Int returns v, which must not be changed later, as a number.
func Int(v *big.Int) Number { return Number{Kind: dtype.KindInt, Int: v} }

// Float returns v as a number.
func Float(v float64) Number { return Number{Kind: dtype.KindFloat, Complex: complex(v, 0)} }

// Complex returns v as a number.
func Complex(v complex128) Number { return Number{Kind: dtype.KindComplex, Complex: v} }

// Of returns the number that a scalar of type bool, int64, float64 or complex128 stands for.
func Of(s dtype.Scalar) (n Number, ok bool) {
	switch v := s.Any().(type) {
	case bool:
		return Bool(v), true
	case int64:
		return Int(big.NewInt(v)), true
	case float64:
		return Float(v), true
	case complex128:
		return Complex(v), true
	}
	return Number{}, false
}

// FromScalar returns the number that a scalar of any type stands for. ok is false if it has no such
// number.
func FromScalar(s dtype.Scalar) (n Number, ok bool) {
	switch s.Type().Kind() {
	case dtype.KindBool:
		return Of(s)
	case dtype.KindInt, dtype.KindUint:
		i, err := Whole(s)
		return Int(i), err == nil
	case dtype.KindFloat:
		return Of(s.Convert(dtype.Float64))
	}
	return Of(s.Convert(dtype.Complex128))
}

// IsInt reports whether n is an integer or a bool, so that Int is set.
func (n Number) IsInt() bool { return n.Kind == dtype.KindBool || n.Kind == dtype.KindInt }

// Equal reports whether n and m are the same number of the same kind. NaN equals NaN, and 0 is not
// -0.
func (n Number) Equal(m Number) bool {
	switch {
	case n.Kind != m.Kind:
		return false
	case n.Int != nil:
		return n.Int.Cmp(m.Int) == 0
	}
	return sameFloat(real(n.Complex), real(m.Complex)) && sameFloat(imag(n.Complex), imag(m.Complex))
}

// sameFloat is == that takes NaN for equal to NaN and tells 0 from -0.
func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// Truth reports whether n is not zero.
func (n Number) Truth() bool {
	if n.Int != nil {
		return n.Int.Sign() != 0
	}
	return n.Complex != 0
}

// Float64 returns n, which is not complex, as a float64.
func (n Number) Float64() (float64, error) {
	if n.Int == nil {
		return real(n.Complex), nil
	}
	f, _ := new(big.Float).SetInt(n.Int).Float64()
	if math.IsInf(f, 0) {
		return 0, fmt.Errorf("integer of %d bits: %w for a float", n.Int.BitLen(), dtype.ErrRange)
	}
	return f, nil
}

// complex returns n as a complex128.
func (n Number) complex() (complex128, error) {
	if n.Int == nil {
		return n.Complex, nil
	}
	f, err := n.Float64()
	return complex(f, 0), err
}

// ToInt returns n, which is an integer, as an int.
func (n Number) ToInt() (int, error) {
	if !n.Int.IsInt64() {
		return 0, errors.New("an integer must fit in 64 bits here")
	}
	return int(n.Int.Int64()), nil
}

// DefaultType returns the type that n has where it meets nothing that has one.
func (n Number) DefaultType() dtype.Type {
	if n.Kind == dtype.KindInt && !n.Int.IsInt64() && n.Int.IsUint64() {
		return dtype.Uint64
	}
	return dtype.ResultFor(nil, n.Kind)
}

// As returns n as an element of type t, which is of its kind or a wider one. It returns
// dtype.ErrRange if t does not hold the integer n.
func (n Number) As(t dtype.Type) (dtype.Scalar, error) {
	switch t.Kind() {
	case dtype.KindBool:
		return dtype.ScalarOf(n.Truth()), nil
	case dtype.KindInt, dtype.KindUint:
		if n.Int == nil {
			return dtype.Scalar{}, fmt.Errorf("%s is no integer, as %s elements are", n, t)
		}
		if err := CheckRange(t, n.Int); err != nil {
			return dtype.Scalar{}, err
		}
		return dtype.ScalarOf(Low64(n.Int)).Convert(t), nil
	case dtype.KindComplex:
		c, err := n.complex()
		return dtype.ScalarOf(c).Convert(t), err
	}

	if n.Kind == dtype.KindComplex {
		return dtype.Scalar{}, fmt.Errorf("%s is complex, which %s elements are not", n, t)
	}

	f, err := n.Float64()
	return dtype.ScalarOf(f).Convert(t), err
}

// Converted returns n as an element of type t, by the rules of Python's int(n): a float that
// becomes an integer loses its fraction. It returns an error if t does not hold the integer, or if
// a complex number is to become a real one.
func (n Number) Converted(t dtype.Type) (dtype.Scalar, error) {
	if f := real(n.Complex); n.Kind == dtype.KindFloat && isInteger(t) && f-f == 0 { // no NaN, not infinite
		whole, _ := big.NewFloat(f).Int(nil)
		n = Int(whole)
	}
	return n.As(t)
}

// isInteger reports whether t is a type of integers, bool apart.
func isInteger(t dtype.Type) bool { return t.Kind() == dtype.KindInt || t.Kind() == dtype.KindUint }

// String returns the number in a form that Parse reads as the same number. A complex number of two
// parts is a sum.
func (n Number) String() string {
	switch n.Kind {
	case dtype.KindBool:
		return dtype.ScalarOf(n.Truth()).String()
	case dtype.KindInt:
		return n.Int.String()
	case dtype.KindFloat:
		return dtype.ScalarOf(real(n.Complex)).String()
	}
	if re := real(n.Complex); re != 0 || math.Signbit(re) {
		return Float(re).String() + " + " + Complex(complex(0, imag(n.Complex))).String()
	}
	return dtype.ScalarOf(n.Complex).String()
}

// maxDigits bounds the numbers that are read, so that hostile text costs little.
const maxDigits = 1 << 10

// Parse reads a number as Python writes it: 12, 1_000, 0x1f, 0o17, 0b101, 1.5, .5, 1e-3, 2j.
func Parse(text string) (Number, error) {
	if len(text) > maxDigits {
		return Number{}, fmt.Errorf("a number of %d characters: at most %d are read", len(text), maxDigits)
	}
	if !validUnderscores(text) {
		return Number{}, errors.New("an underscore in a number stands between two digits")
	}

	digits := strings.ReplaceAll(text, "_", "")
	// Hexadecimal digits have no j, so 0x1j is not an imaginary number but an error.
	if body, ok := strings.CutSuffix(strings.ToLower(digits), "j"); ok && !strings.HasPrefix(body, "0x") {
		f, err := parseFloat(body)
		return Complex(complex(0, f)), err
	}

	if i, ok := parseInt(digits); ok {
		return Int(i), nil
	}

	f, err := parseFloat(digits)
	return Float(f), err
}

// validUnderscores reports whether each underscore has a digit, or a letter of a prefix, before it
// and a digit behind.
func validUnderscores(text string) bool {
	for i := range len(text) {
		if text[i] == '_' && (i == 0 || i == len(text)-1 || !isHex(text[i+1]) || text[i-1] == '.' || text[i-1] == '_') {
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func parseInt(digits string) (*big.Int, bool) {
	base := 10
	if len(digits) > 1 && digits[0] == '0' && !isDigit(digits[1]) {
		base = 0 // by the prefix
	}
	return new(big.Int).SetString(digits, base)
}

// parseFloat reads a decimal float. One too large is infinite, as in Python.
func parseFloat(digits string) (float64, error) {
	if strings.Trim(digits, "0123456789.eE+-") != "" {
		return 0, fmt.Errorf("%.40q is not a number", digits)
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%.40q is not a number", digits)
	}
	return f, nil
}
