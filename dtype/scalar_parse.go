package dtype

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// ErrRange is the error for a number that its type can't hold.
var ErrRange = errors.New("out of range")

// maxScalarText is the longest text that ParseScalar looks at, so that hostile input costs little.
const maxScalarText = 1 << 10

// ParseScalar reads one element of type t from text, as NumPy spells it: True or False (also in
// lower case, and 1 or 0) for bool, decimal integers, floats with optional exponent and nan, inf,
// infinity in any case, complex numbers as 1+2j, with or without parentheses. Space around the text
// is skipped.
//
// The value is the exact number rounded once to t. A number beyond the range of t is an error that
// is [ErrRange] and names the range; a float too small for t becomes 0.
func ParseScalar(t Type, text string) (Scalar, error) {
	if len(text) > maxScalarText {
		return Scalar{}, fmt.Errorf("%s value of %d characters: at most %d are read", t, len(text), maxScalarText)
	}
	s, err := parseScalar(t, strings.TrimSpace(text))
	if err != nil {
		return Scalar{}, fmt.Errorf("%q as %s: %w", text, t, err)
	}
	return s, nil
}

func parseScalar(t Type, text string) (Scalar, error) {
	switch t.Kind() {
	case KindBool:
		return parseBool(text)
	case KindInt:
		return parseInt(t, text)
	case KindUint:
		return parseUint(t, text)
	case KindFloat:
		return parseFloat(t, text)
	case KindComplex:
		return parseComplex(t, text)
	}
	return Scalar{}, errors.New("not an element type")
}

func parseBool(text string) (Scalar, error) {
	switch text {
	case "True", "true", "1":
		return ScalarOf(true), nil
	case "False", "false", "0":
		return ScalarOf(false), nil
	}
	return Scalar{}, errors.New("expected True or False")
}

func parseInt(t Type, text string) (Scalar, error) {
	bits := 8 * t.Size()
	v, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		return Scalar{}, integerError(t, err)
	}
	return Scalar{typ: t, lo: uint64(v) & (math.MaxUint64 >> (64 - bits))}, nil
}

func parseUint(t Type, text string) (Scalar, error) {
	digits := strings.TrimPrefix(text, "+")
	if unsigned, ok := strings.CutPrefix(text, "-"); ok && isDigits(unsigned) {
		if strings.Trim(unsigned, "0") != "" {
			return Scalar{}, integerError(t, strconv.ErrRange)
		}
		digits = "0"
	}
	if !isDigits(digits) {
		return Scalar{}, integerError(t, strconv.ErrSyntax)
	}
	v, err := strconv.ParseUint(digits, 10, 8*t.Size())
	if err != nil {
		return Scalar{}, integerError(t, err)
	}
	return Scalar{typ: t, lo: v}, nil
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func integerError(t Type, err error) error {
	if !errors.Is(err, strconv.ErrRange) {
		return errors.New("expected a decimal integer")
	}
	bits := 8 * t.Size()
	if t.Kind() == KindUint {
		return fmt.Errorf("%w: %s holds 0 to %d", ErrRange, t, uint64(math.MaxUint64)>>(64-bits))
	}
	return fmt.Errorf("%w: %s holds %d to %d", ErrRange, t, int64(math.MinInt64)>>(64-bits), int64(math.MaxInt64)>>(64-bits))
}

func parseFloat(t Type, text string) (Scalar, error) {
	if strings.ContainsAny(text, "xXpP_") { // Go's spellings, not NumPy's
		return Scalar{}, errors.New("expected a decimal number, nan or inf")
	}

	if sign, ok := cutNaN(text); ok {
		return ScalarOf(math.Copysign(math.NaN(), sign)).Convert(t), nil
	}

	bits := 64
	if t == Float32 {
		bits = 32
	}

	f, err := strconv.ParseFloat(text, bits)
	if errors.Is(err, strconv.ErrRange) {
		return Scalar{}, floatRangeError(t)
	}
	if err != nil {
		return Scalar{}, errors.New("expected a decimal number, nan or inf")
	}

	// For formats of 16 bits or fewer f is a first rounding of two. Move it off a tie, so that the
	// second one rounds the decimal.
	if t.Size() <= 2 {
		f = towards(f, text, t)
	}

	s := ScalarOf(f).Convert(t)
	if rounded := s.Float64(); rounded != rounded || math.IsInf(rounded, 0) != math.IsInf(f, 0) {
		return Scalar{}, floatRangeError(t)
	}
	return s, nil
}

// cutNaN reports whether text is a NaN, and its sign as 1 or -1.
func cutNaN(text string) (sign float64, ok bool) {
	unsigned := strings.TrimPrefix(text, "+")
	sign = 1
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		unsigned, sign = rest, -1
	}
	return sign, strings.EqualFold(unsigned, "nan")
}

// towards returns f, which is text rounded to float64, moved off a tie between two numbers of type
// t to the side on which the exact decimal lies. Rounding the result to t rounds the decimal
// itself.
func towards(f float64, text string, t Type) float64 {
	below, above := ScalarOf(math.Nextafter(f, math.Inf(-1))), ScalarOf(math.Nextafter(f, math.Inf(1)))
	if f == 0 || below.Convert(t) == above.Convert(t) {
		return f
	}

	// The rational number is small: f is in the range of t, so the exponent is at most some
	// hundreds more than the text has digits.
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return f
	}

	switch new(big.Rat).SetFloat64(f).Cmp(exact) {
	case -1:
		return above.Float64()
	case 1:
		return below.Float64()
	}
	return f
}

func floatRangeError(t Type) error {
	if t == Float8E4M3FN {
		return fmt.Errorf("%w: %s holds -448.0 to 448.0 and nan, no infinity", ErrRange, t)
	}
	return fmt.Errorf("%w: %s holds -%s to %[3]s, inf and nan", ErrRange, t, largest(t))
}

// largest spells the largest finite number of a float type.
func largest(t Type) string {
	infinity := ScalarOf(math.Inf(1)).Convert(t)
	infinity.lo-- // the number below, in any IEEE format
	return infinity.String()
}

func parseComplex(t Type, text string) (Scalar, error) {
	part := Float64
	if t == Complex64 {
		part = Float32
	}

	if inner, ok := strings.CutPrefix(text, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); !ok {
			return Scalar{}, errors.New("expected ')' at the end")
		}
		text = strings.TrimSpace(inner)
	}

	realText, imagText := splitComplex(strings.ToLower(text))
	re, err := parseFloat(part, realText)
	if err != nil {
		return Scalar{}, fmt.Errorf("real part: %w", err)
	}
	im, err := parseFloat(part, imagText)
	if err != nil {
		return Scalar{}, fmt.Errorf("imaginary part: %w", err)
	}

	if t == Complex64 {
		return Scalar{typ: t, lo: re.lo | im.lo<<32}, nil
	}
	return Scalar{typ: t, lo: re.lo, hi: im.lo}, nil
}

// splitComplex splits 1+2j into 1 and +2; a part that is left out is 0, and a bare j is 1j.
func splitComplex(text string) (re, im string) {
	body, ok := strings.CutSuffix(text, "j")
	if !ok {
		return text, "0"
	}

	at := strings.LastIndexAny(body, "+-")
	if at > 0 && body[at-1] == 'e' { // the sign of an exponent
		at = strings.LastIndexAny(body[:at], "+-")
	}

	re, im = "0", body
	if at > 0 {
		re, im = body[:at], body[at:]
	}

	if im == "" || im == "+" || im == "-" {
		im += "1"
	}
	return re, im
}
