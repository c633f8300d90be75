package dtype

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// String returns the value as NumPy's str() spells it: True and False, integers in decimal, floats
// by the fewest digits that read back as the same value ("0.1", "1e-05", "nan", "-inf"), complex
// numbers in parentheses ("(1+2j)") unless the real part is 0 ("2j"). bfloat16 and float8 follow
// the rules of float16. [ParseScalar] reads all of it back. The zero Scalar is "invalid".
func (s Scalar) String() string {
	switch s.typ.Kind() {
	case KindBool:
		if s.lo != 0 {
			return "True"
		}
		return "False"
	case KindInt:
		v, _ := s.Int64()
		return strconv.FormatInt(v, 10)
	case KindUint:
		return strconv.FormatUint(s.lo, 10)
	case KindFloat:
		text := s.float()
		if strings.Trim(text, "-0123456789") == "" {
			text += ".0"
		}
		return text
	case KindComplex:
		return s.complex()
	}
	return s.typ.String()
}

// float spells a float as a complex number spells its parts: without ".0".
func (s Scalar) float() string {
	abs := math.Abs(s.Float64())
	form := byte('e')
	if abs == 0 || abs >= 1e-4 && abs < positionalLimit(s.typ) {
		form = 'f'
	}
	return string(s.AppendFloat(nil, form, -1))
}

// positionalLimit returns the value from which NumPy writes an exponent: digits before the point
// that the type does not hold would say nothing.
func positionalLimit(t Type) float64 {
	switch t {
	case Float64:
		return 1e16
	case Float32:
		return 1e6
	}
	return 1e3
}

func (s Scalar) complex() string {
	re, im := s.parts()
	imag := im.float()
	if re.lo == 0 {
		return imag + "j"
	}
	if imag[0] != '-' {
		imag = "+" + imag
	}
	return "(" + re.float() + imag + "j)"
}

// parts splits a complex number into floats of half its size.
func (s Scalar) parts() (re, im Scalar) {
	if s.typ == Complex64 {
		return Scalar{typ: Float32, lo: s.lo & math.MaxUint32}, Scalar{typ: Float32, lo: s.lo >> 32}
	}
	return Scalar{typ: Float64, lo: s.lo}, Scalar{typ: Float64, lo: s.hi}
}

// AppendFloat appends the value of a float type as [strconv.AppendFloat] spells it, with NumPy's
// "nan", "inf" and "-inf". prec -1 takes the fewest digits that read back as the same value of the
// type, whichever type it is. Other kinds are converted to float64 first.
func (s Scalar) AppendFloat(dst []byte, form byte, prec int) []byte {
	f := s.Float64()
	switch {
	case f != f:
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	case prec < 0 && s.needsSearch():
		return strconv.AppendFloat(dst, s.shortest(f), form, -1, 64)
	case s.typ == Float32:
		return strconv.AppendFloat(dst, f, form, prec, 32)
	}
	return strconv.AppendFloat(dst, f, form, prec, 64)
}

// needsSearch says that strconv can't tell the fewest digits: it does not know the types of 16 bits
// and fewer, and it takes the odd one of two equally near decimals at one power of two (2⁻¹², of
// all float32), where NumPy takes the even one.
func (s Scalar) needsSearch() bool {
	return s.typ.Kind() == KindFloat && s.typ.Size() <= 2 || s.typ == Float32 && s.lo&(1<<23-1) == 0
}

// shortest returns the decimal of fewest digits, as a float64, that rounds to s, whose value is f.
// In the types of 16 bits and fewer, an integer below the positional limit stands for itself: 448,
// not 450.
func (s Scalar) shortest(f float64) float64 {
	if s.typ.Size() <= 2 && f == math.Trunc(f) && math.Abs(f) < positionalLimit(s.typ) {
		return f
	}

	const mostDigits = 9 // tell any two float32 apart
	for digits := 1; digits < mostDigits; digits++ {
		near, step := decimal(f, digits)
		if ScalarOf(near).Convert(s.typ) == s {
			return near
		}
		// More room above than below, at a power of two, can leave only a farther decimal.
		above, _ := decimal(near+math.Copysign(step, f), digits)
		if ScalarOf(above).Convert(s.typ) == s {
			return above
		}
	}
	return f
}

// decimal rounds f to so many decimal digits, and returns what one in the last is worth.
func decimal(f float64, digits int) (rounded, step float64) {
	var buf [24]byte
	text := strconv.AppendFloat(buf[:0], f, 'e', digits-1, 64)
	exp, _ := strconv.Atoi(string(text[bytes.IndexByte(text, 'e')+1:]))
	rounded, _ = strconv.ParseFloat(string(text), 64)
	return rounded, math.Pow10(exp - digits + 1)
}
