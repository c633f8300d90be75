package view

import (
	"bytes"
	"math"

	"github.com/tstore/tstore/dtype"
)

// floatFormat is NumPy's FloatingFormat with floatmode maxprec. It measures the elements in both
// notations while they pass, because which one is used depends on all of them.
type floatFormat struct {
	opts     PrintOptions
	limits   floatLimits
	plusSign bool // write + before positive numbers

	finite, infinite   bool // some element is finite, or not
	negativeInfinity   bool
	largest, smallest  float64 // magnitudes of the finite ones that are not zero
	positional, expont numberWidth
}

// numberWidth is the widest of each part of the numbers in one notation.
type numberWidth struct{ left, frac, exp int }

// floatLimits are the numbers that decide on the notation, in the arithmetic of the element type.
type floatLimits struct {
	large, small float64
	ratio        func(a, b float64) float64
}

// limitsOf returns the limits for elements of type t: from large on, which is ten to the type's
// decimal digits, and below small numbers are scientific.
func limitsOf(t dtype.Type) floatLimits {
	switch t {
	case dtype.Float64:
		return floatLimits{1e8, 0.0001, func(a, b float64) float64 { return a / b }}
	case dtype.Float32:
		return floatLimits{1e6, float64(float32(0.0001)), ratio32}
	case dtype.Float16:
		return floatLimits{1e3, float64(dtype.ToF16(0.0001).Float32()), ratio16}
	}
	return floatLimits{1e3, 0.0001, ratio32}
}

func ratio32(a, b float64) float64 { return float64(float32(a) / float32(b)) }

func ratio16(a, b float64) float64 {
	return float64(dtype.ToF16(float32(a) / float32(b)).Float32())
}

func (f *floatFormat) observe(v dtype.Scalar) {
	x := v.Float64()
	if math.IsNaN(x) || math.IsInf(x, 0) {
		f.infinite = true
		f.negativeInfinity = f.negativeInfinity || math.IsInf(x, -1)
		return
	}

	f.finite = true
	if x != 0 {
		x = math.Abs(x)
		f.largest = max(f.largest, x)
		if f.smallest == 0 || x < f.smallest {
			f.smallest = x
		}
	}

	var buf [64]byte
	f.positional.widen(f.number(buf[:0], v, 'f'))
	f.expont.widen(f.number(buf[:0], v, 'e'))
}

// number appends v in the given notation with the fewest digits that identify it, but no more than
// the precision after the point, which is always there.
func (f *floatFormat) number(dst []byte, v dtype.Scalar, form byte) []byte {
	start := len(dst)
	dst = f.appendSigned(dst, v, form, -1)
	if _, frac, _ := splitNumber(dst[start:]); len(frac) > f.opts.Precision {
		dst = f.appendSigned(dst[:start], v, form, f.opts.Precision)
	}
	left, frac, exp := splitNumber(dst[start:])
	frac = bytes.TrimRight(frac, "0")
	var tail [8]byte
	e := append(tail[:0], exp...)
	dst = append(dst[:start+len(left)], '.')
	dst = append(dst, frac...) // moves down at most, never over bytes still to be read
	return append(dst, e...)
}

// appendSigned is Scalar.AppendFloat with the plus sign, if it is wanted.
func (f *floatFormat) appendSigned(dst []byte, v dtype.Scalar, form byte, prec int) []byte {
	if f.plusSign && !math.Signbit(v.Float64()) {
		dst = append(dst, '+')
	}
	return v.AppendFloat(dst, form, prec)
}

// splitNumber cuts "-1.5e+00" into "-1", "5" and "e+00".
func splitNumber(text []byte) (left, frac, exp []byte) {
	if i := bytes.IndexByte(text, 'e'); i >= 0 {
		text, exp = text[:i], text[i:]
	}
	left, frac, _ = bytes.Cut(text, []byte{'.'})
	return left, frac, exp
}

func (w *numberWidth) widen(text []byte) {
	left, frac, exp := splitNumber(text)
	w.left, w.frac, w.exp = max(w.left, len(left)), max(w.frac, len(frac)), max(w.exp, len(exp))
}

// scientific reports which notation the elements ask for.
func (f *floatFormat) scientific() bool {
	if f.largest == 0 {
		return false
	}
	return f.largest >= f.limits.large ||
		!f.opts.Suppress && (f.smallest < f.limits.small || f.limits.ratio(f.largest, f.smallest) > 1000)
}

// widths returns the number of characters before the point and after it.
func (f *floatFormat) widths() (left, right int) {
	switch {
	case !f.finite:
	case f.scientific():
		left, right = f.expont.left, f.expont.frac+f.expont.exp
	default:
		left, right = f.positional.left, f.positional.frac
	}
	if f.infinite {
		sign := 0
		if f.plusSign || f.negativeInfinity {
			sign = 1
		}
		left = max(left, len("inf")+sign-(right+1))
	}
	return left, right
}

func (f *floatFormat) append(dst []byte, v dtype.Scalar) []byte {
	left, right := f.widths()
	var buf [64]byte
	x := v.Float64()

	if math.IsNaN(x) || math.IsInf(x, 0) {
		text := f.special(buf[:0], x)
		return append(appendSpaces(dst, left+right+1-len(text)), text...)
	}

	if f.scientific() {
		text := f.appendSigned(buf[:0], v, 'e', f.expont.frac)
		whole, frac, exp := splitNumber(text)
		dst = append(appendSpaces(dst, left-len(whole)), whole...)
		dst = append(append(dst, '.'), frac...)
		return f.appendExponent(dst, exp)
	}

	text := f.number(buf[:0], v, 'f')
	whole, frac, _ := splitNumber(text)
	dst = append(appendSpaces(dst, left-len(whole)), text...)
	return appendSpaces(dst, right-len(frac))
}

// appendExponent appends "e+05" with as many digits as the longest has.
func (f *floatFormat) appendExponent(dst, exp []byte) []byte {
	dst = append(dst, exp[:2]...)
	for range f.expont.exp - len(exp) {
		dst = append(dst, '0')
	}
	return append(dst, exp[2:]...)
}

// special appends a number that is not finite.
func (f *floatFormat) special(dst []byte, x float64) []byte {
	switch {
	case math.IsInf(x, -1):
		return append(dst, "-inf"...)
	case f.plusSign:
		dst = append(dst, '+')
	}
	if math.IsNaN(x) {
		return append(dst, "nan"...)
	}
	return append(dst, "inf"...)
}
