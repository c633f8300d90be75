package compute

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/tstore/tstore/dtype"
)

// A number is written without a type. As in Python it is a bool, an integer of any size, a float64
// or a complex128. It takes the type of the operand it meets (NEP 50).
type number struct {
	kind dtype.Kind // KindBool, KindInt, KindFloat or KindComplex
	i    *big.Int   // of a bool (0 or 1) or an integer; never changed
	c    complex128 // of a float or a complex number
}

func boolNumber(v bool) number {
	if v {
		return number{kind: dtype.KindBool, i: bigInt(1)}
	}
	return number{kind: dtype.KindBool, i: new(big.Int)}
}

func bigInt(v int64) *big.Int { return big.NewInt(v) }

func intNumber(v *big.Int) number { return number{kind: dtype.KindInt, i: v} }

func floatNumber(v float64) number { return number{kind: dtype.KindFloat, c: complex(v, 0)} }

func complexNumber(v complex128) number { return number{kind: dtype.KindComplex, c: v} }

// numberOf returns the number that a scalar of type bool, int64, float64 or complex128 stands for.
func numberOf(s dtype.Scalar) (n number, ok bool) {
	switch v := s.Any().(type) {
	case bool:
		return boolNumber(v), true
	case int64:
		return intNumber(bigInt(v)), true
	case float64:
		return floatNumber(v), true
	case complex128:
		return complexNumber(v), true
	}
	return number{}, false
}

func (n number) isInt() bool { return n.kind == dtype.KindBool || n.kind == dtype.KindInt }

func (n number) equal(m number) bool {
	switch {
	case n.kind != m.kind:
		return false
	case n.i != nil:
		return n.i.Cmp(m.i) == 0
	}
	return sameFloat(real(n.c), real(m.c)) && sameFloat(imag(n.c), imag(m.c))
}

// truth reports whether n is not zero.
func (n number) truth() bool {
	if n.i != nil {
		return n.i.Sign() != 0
	}
	return n.c != 0
}

// float returns n, which is not complex, as a float64.
func (n number) float() (float64, error) {
	if n.i == nil {
		return real(n.c), nil
	}
	f, _ := new(big.Float).SetInt(n.i).Float64()
	if math.IsInf(f, 0) {
		return 0, fmt.Errorf("integer of %d bits: %w for a float", n.i.BitLen(), dtype.ErrRange)
	}
	return f, nil
}

// complex returns n as a complex128.
func (n number) complex() (complex128, error) {
	if n.i == nil {
		return n.c, nil
	}
	f, err := n.float()
	return complex(f, 0), err
}

// defaultType returns the type that n has where it meets nothing that has one.
func (n number) defaultType() dtype.Type {
	if n.kind == dtype.KindInt && !n.i.IsInt64() && n.i.IsUint64() {
		return dtype.Uint64
	}
	return dtype.ResultFor(nil, n.kind)
}

// as returns n as an element of type t, which is of its kind or a wider one. It returns
// dtype.ErrRange if t does not hold the integer n.
func (n number) as(t dtype.Type) (dtype.Scalar, error) {
	switch t.Kind() {
	case dtype.KindBool:
		return dtype.ScalarOf(n.truth()), nil
	case dtype.KindInt, dtype.KindUint:
		if n.i == nil {
			return dtype.Scalar{}, fmt.Errorf("%s is no integer, as %s elements are", n, t)
		}
		if err := checkIntRange(t, n.i); err != nil {
			return dtype.Scalar{}, err
		}
		return dtype.ScalarOf(low64(n.i)).Convert(t), nil
	case dtype.KindComplex:
		c, err := n.complex()
		return dtype.ScalarOf(c).Convert(t), err
	}

	if n.kind == dtype.KindComplex {
		return dtype.Scalar{}, fmt.Errorf("%s is complex, which %s elements are not", n, t)
	}

	f, err := n.float()
	return dtype.ScalarOf(f).Convert(t), err
}

// converted returns n as an element of type t, by the rules of Python's int(n): a float that
// becomes an integer loses its fraction. It returns an error if t does not hold the integer, or if
// a complex number is to become a real one.
func (n number) converted(t dtype.Type) (dtype.Scalar, error) {
	if f := real(n.c); n.kind == dtype.KindFloat && kindSetOf(t)&takesInt != 0 && f-f == 0 { // no NaN, not infinite
		whole, _ := big.NewFloat(f).Int(nil)
		n = intNumber(whole)
	}
	return n.as(t)
}

// String returns the number in a form that Parse reads as the same number. A complex number of two
// parts is a sum.
func (n number) String() string {
	switch n.kind {
	case dtype.KindBool:
		return dtype.ScalarOf(n.truth()).String()
	case dtype.KindInt:
		return n.i.String()
	case dtype.KindFloat:
		return dtype.ScalarOf(real(n.c)).String()
	}
	if re := real(n.c); re != 0 || math.Signbit(re) {
		return floatNumber(re).String() + " + " + complexNumber(complex(0, imag(n.c))).String()
	}
	return dtype.ScalarOf(n.c).String()
}

// maxDigits bounds the numbers that are read, so that hostile text costs little.
const maxDigits = 1 << 10

// parseNumber reads a number as Python writes it: 12, 1_000, 0x1f, 0o17, 0b101, 1.5, .5, 1e-3, 2j.
func parseNumber(text string) (number, error) {
	if len(text) > maxDigits {
		return number{}, fmt.Errorf("a number of %d characters: at most %d are read", len(text), maxDigits)
	}
	if !validUnderscores(text) {
		return number{}, errors.New("an underscore in a number stands between two digits")
	}

	digits := strings.ReplaceAll(text, "_", "")
	// Hexadecimal digits have no j, so 0x1j is not an imaginary number but an error.
	if body, ok := strings.CutSuffix(strings.ToLower(digits), "j"); ok && !strings.HasPrefix(body, "0x") {
		f, err := parseFloat(body)
		return complexNumber(complex(0, f)), err
	}

	if i, ok := parseInt(digits); ok {
		return intNumber(i), nil
	}

	f, err := parseFloat(digits)
	return floatNumber(f), err
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
