package scan

import (
	"math"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// A carry is the running sum or product of several lines, in words of float64 or int64. For sums of
// float64, lost is the rounding error. For products of complex numbers, it is 1 once there is an
// element.
type carry struct{ sum, lost []uint64 }

func newCarry(n int) *carry { return &carry{make([]uint64, n), make([]uint64, n)} }

func (c *carry) clone() *carry { return &carry{slices.Clone(c.sum), slices.Clone(c.lost)} }

// A running replaces rows of elements by the running results of each column, which it continues
// from c.
type running func(rows []uint64, c *carry)

func runningOf(op reduce.Op, t dtype.Type) running {
	switch {
	case t == dtype.Int64 && op == reduce.Sum:
		return sumIntegers
	case t == dtype.Int64:
		return multiplyIntegers
	case op == reduce.Sum:
		return sumFloats
	case t == dtype.Complex128:
		return multiplyComplex
	}
	return multiplyFloats
}

// reset makes c the carry of no elements, which must leave every element as it is. So sums start
// with -0, because 0 + -0 would be 0. Products of complex numbers need no start: see
// multiplyComplex.
func (s *Scan) reset(c *carry) {
	var none uint64
	switch floats := s.wide != dtype.Int64; {
	case floats && s.spec.Op == reduce.Sum:
		none = math.Float64bits(math.Copysign(0, -1))
	case floats:
		none = math.Float64bits(1)
	case s.spec.Op == reduce.Prod:
		none = 1
	}
	clear(c.lost)
	for i := range c.sum {
		c.sum[i] = none
	}
}

// continued takes the totals of the part that follows into c.
func (s *Scan) continued(c, next *carry) {
	s.step(slices.Clone(next.sum), c)
	if s.spec.Op == reduce.Sum && s.wide != dtype.Int64 {
		lost, more := floats(c.lost), floats(next.lost)
		for i := range lost {
			lost[i] += more[i]
		}
	}
}

func floats(words []uint64) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

func sumIntegers(rows []uint64, c *carry) {
	for ; len(rows) > 0; rows = rows[len(c.sum):] {
		for i := range c.sum {
			c.sum[i] += rows[i]
			rows[i] = c.sum[i]
		}
	}
}

func multiplyIntegers(rows []uint64, c *carry) {
	for ; len(rows) > 0; rows = rows[len(c.sum):] {
		for i := range c.sum {
			c.sum[i] *= rows[i]
			rows[i] = c.sum[i]
		}
	}
}

// sumFloats adds as kernel.FoldSum does with float64.
func sumFloats(rows []uint64, c *carry) {
	x, sum, lost := floats(rows), floats(c.sum), floats(c.lost)
	if len(sum) == 1 {
		sum[0], lost[0] = sumLine(x, sum[0], lost[0])
		return
	}
	for ; len(x) > 0; x = x[len(sum):] {
		for i, s := range sum {
			t := s + x[i]
			b := t - s
			lost[i] += (s - (t - b)) + (x[i] - b)
			sum[i] = t
			x[i] = total(t, lost[i])
		}
	}
}

func sumLine(x []float64, s, lost float64) (sum, newLost float64) {
	for i, v := range x {
		t := s + v
		b := t - s
		lost += (s - (t - b)) + (v - b)
		s = t
		x[i] = total(s, lost)
	}
	return s, lost
}

// total returns sum + lost. It returns sum if sum has overflowed, where lost is meaningless, or if
// it may be -0.
func total(sum, lost float64) float64 {
	if t := sum + lost; t-t == 0 && lost != 0 {
		return t
	}
	return sum
}

func multiplyFloats(rows []uint64, c *carry) {
	x, product := floats(rows), floats(c.sum)
	for ; len(x) > 0; x = x[len(product):] {
		for i := range product {
			product[i] *= x[i]
			x[i] = product[i]
		}
	}
}

// multiplyComplex takes the first element of a line as it is, because no complex number leaves
// every other one unchanged: a product with 1 makes a part beside an infinite one NaN, and -0
// becomes 0.
func multiplyComplex(rows []uint64, c *carry) {
	if c.lost[0] == 0 && len(rows) > 0 {
		rows = rows[copy(c.sum, rows):]
		for i := range c.lost {
			c.lost[i] = 1
		}
	}
	x, product := floats(rows), floats(c.sum)
	for ; len(x) > 0; x = x[len(product):] {
		for i := 0; i < len(product); i += 2 {
			a, b := product[i], product[i+1]
			product[i] = float64(a*x[i]) - float64(b*x[i+1])
			product[i+1] = float64(a*x[i+1]) + float64(b*x[i])
			x[i], x[i+1] = product[i], product[i+1]
		}
	}
}
