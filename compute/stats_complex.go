package compute

import (
	"math"

	"github.com/tstore/tstore/dtype"
)

// complexSums are the sums over complex numbers of which no part is NaN.
type complexSums struct {
	re, im         floatSums // counts aside
	nan, inf, zero int
}

// newComplexScanner returns what makes a scanner for at most n elements of the complex type t.
func newComplexScanner(t dtype.Type, n int) func() scanner[complexSums] {
	return func() scanner[complexSums] {
		wide := alignedBytes(16 * n)
		parts := [2][]float64{make([]float64, 0, n), make([]float64, 0, n)}
		return func(b []byte) complexSums {
			w := wide[:len(b)/t.Size()*16]
			dtype.Convert(w, dtype.Complex128, b, t)
			return scanComplex(elements[complex128](w), &parts)
		}
	}
}

// scanComplex takes the parts of the elements that are not NaN to two rows of floats.
func scanComplex(x []complex128, parts *[2][]float64) complexSums {
	var s complexSums
	re, im := parts[0][:0], parts[1][:0]
	for _, v := range x {
		a, b := real(v), imag(v)
		if a != a || b != b {
			s.nan++
			continue
		}
		if math.IsInf(a, 0) || math.IsInf(b, 0) {
			s.inf++
		}
		if v == 0 {
			s.zero++
		}
		re, im = append(re, a), append(im, b)
	}
	parts[0], parts[1] = re, im
	s.re, s.im = sumFloats(re), sumFloats(im)
	s.re.squares = sumSquares(re, s.re.mean())
	s.im.squares = sumSquares(im, s.im.mean())
	return s
}

// plus is the sums over the elements of both.
func (s complexSums) plus(t complexSums) complexSums {
	return complexSums{s.re.plus(t.re), s.im.plus(t.im), s.nan + t.nan, s.inf + t.inf, s.zero + t.zero}
}

// summarize fills in what s says.
func (s complexSums) summarize(to *Summary) {
	to.NaN, to.Inf, to.Zero = s.nan, s.inf, s.zero
	to.Sum = dtype.ScalarOf(complex(s.re.total(), s.im.total()))
	to.Mean = dtype.ScalarOf(complex(s.re.mean(), s.im.mean()))
	to.Std = math.Hypot(s.re.std(), s.im.std())
}
