package order

import (
	"math"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// nanOf returns NaN as an element of type t.
func nanOf(t dtype.Type) dtype.Scalar {
	if t.Kind() == dtype.KindComplex {
		return dtype.ScalarOf(complex(math.NaN(), math.NaN())).Convert(t)
	}
	return dtype.ScalarOf(math.NaN()).Convert(t)
}

// middle returns the mean of two elements as type t, rounded as that of numpy.mean is: the sum,
// then its half.
func middle(a, b dtype.Scalar, t dtype.Type) dtype.Scalar {
	if t.Kind() == dtype.KindComplex {
		x, y, part := a.Complex128(), b.Complex128(), dtype.Float64
		if t == dtype.Complex64 {
			part = dtype.Float32
		}
		re, im := half(real(x), real(y), part), half(imag(x), imag(y), part)
		return dtype.ScalarOf(complex(re, im)).Convert(t)
	}
	if a == b {
		return a.Convert(t)
	}
	return dtype.ScalarOf(half(a.Float64(), b.Float64(), kernel.RegisterType(t))).Convert(t)
}

// half returns (a + b) / 2 where each step is rounded to type t.
func half(a, b float64, t dtype.Type) float64 { return rounded(rounded(a+b, t)/2, t) }

// rounded returns v as the type t holds it. One operation in float64 and this give what the
// operation gives in t.
func rounded(v float64, t dtype.Type) float64 {
	switch t {
	case dtype.Float64:
		return v
	case dtype.Float32:
		return float64(float32(v))
	}
	return dtype.ScalarOf(v).Convert(t).Float64()
}

// blend returns what lies between a and b, nearer to b the larger its weight is, as type t. It
// takes the steps of NumPy, which are exact at both ends.
func blend(a, b dtype.Scalar, weight float64, t dtype.Type) dtype.Scalar {
	x, y := a.Float64(), b.Float64()
	d := difference(a, b)
	w := rounded(weight, t)
	v := rounded(x+rounded(d*w, t), t)
	if weight >= 0.5 {
		v = rounded(y-rounded(d*rounded(1-weight, t), t), t)
	}
	return dtype.ScalarOf(v).Convert(t)
}

// difference returns b - a as their type holds it; of integers as exact as a float64 is.
func difference(a, b dtype.Scalar) float64 {
	switch t := a.Type(); t.Kind() {
	case dtype.KindFloat:
		return rounded(b.Float64()-a.Float64(), t)
	case dtype.KindInt:
		x, _ := a.Int64()
		y, _ := b.Int64()
		return float64(uint64(y) - uint64(x)) // b is not below a
	}
	return float64(b.Convert(dtype.Uint64).Any().(uint64) - a.Convert(dtype.Uint64).Any().(uint64))
}
