package compute

import (
	"math"

	"github.com/tstore/tstore/dtype"
)

// complexSums are the sums over complex numbers. None of them has a NaN part.
type complexSums struct {
	re, im         floatSums // counts aside
	nan, inf, zero int
}

type complexes interface{ complex64 | complex128 }

// A complexScanner is the memory of one goroutine that scans complex numbers.
type complexScanner[T complexes] struct {
	float floatScanner[float64]
	parts [2][]float64
}

func newComplexScanner[T complexes]() scanner[T, complexSums] {
	c := &complexScanner[T]{float: floatScanner[float64]{folds: newFolds[float64]()}}
	return c.scan
}

// scan splits the elements that are not NaN into real and imaginary parts, and sums each part.
func (c *complexScanner[T]) scan(x []T) complexSums {
	var s complexSums
	re, im := c.parts[0][:0], c.parts[1][:0]

	for _, v := range x {
		v := complex128(v)
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

	// append may have moved the rows: keep them for the next chunk.
	c.parts = [2][]float64{re, im}
	s.re, s.im = c.float.sums(re), c.float.sums(im)
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
