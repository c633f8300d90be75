package kernel_test

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
)

// Functions of complex numbers that are not finite have the results of package math/cmplx.
func TestComplexSpecial(t *testing.T) {
	library := map[string]func(complex128) complex128{
		"sqrt": cmplx.Sqrt, "exp": cmplx.Exp, "sinh": cmplx.Sinh, "cosh": cmplx.Cosh, "tanh": cmplx.Tanh,
		"acos": cmplx.Acos, "acosh": cmplx.Acosh, "asinh": cmplx.Asinh, "atanh": cmplx.Atanh,
	}
	parts := []float64{0, 1e-300, 0.5, 1, 2, 3, 4, 5, 6, 1e300, math.MaxFloat64, math.Inf(1)}
	for _, x := range parts {
		parts = append(parts, -x)
	}
	parts = append(parts, math.NaN())
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }

	for name, f := range kernel.ComplexSpecials {
		for _, re := range parts {
			for _, im := range parts {
				z := complex(re, im)
				if finite := !math.IsInf(re, 0) && re == re && !math.IsInf(im, 0) && im == im; finite {
					continue
				}
				if re == 0 && (name == "cosh" || name == "tanh" || name == "acosh") || re != re && name == "sqrt" && !math.IsInf(im, 0) {
					continue // which NumPy has otherwise
				}
				if got, want := f(z), library[name](z); !same(real(got), real(want)) || !same(imag(got), imag(want)) {
					t.Errorf("%s%v = %v, want %v", name, z, got, want)
				}
			}
		}
	}
}
