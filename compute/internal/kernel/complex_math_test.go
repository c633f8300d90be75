package kernel_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// TestComplexInverses applies functions and their inverses to numbers of all sizes.
func TestComplexInverses(t *testing.T) {
	tests := []struct {
		inverse, function kernel.Op
		largest           float64 // exponent of 2; the logarithm of a larger number has too few digits
	}{
		{kernel.Log, kernel.Exp, 40},
		{kernel.Log2, kernel.Exp2, 40},
		{kernel.Log1p, kernel.Expm1, 40},
		{kernel.Sqrt, kernel.Square, 1000},
		{kernel.Asin, kernel.Sin, 40},
		{kernel.Acos, kernel.Cos, 40},
		{kernel.Atan, kernel.Tan, 3},
		{kernel.Asinh, kernel.Sinh, 40},
		{kernel.Acosh, kernel.Cosh, 40},
		{kernel.Atanh, kernel.Tanh, 3},
	}
	const n = 3000
	for _, test := range tests {
		t.Run(test.inverse.String(), func(t *testing.T) {
			rng := newRand()
			z := make([]complex128, n)
			for i := range z {
				z[i] = complex(anySize(rng, test.largest), anySize(rng, test.largest))
			}
			w, back := make([]complex128, n), make([]complex128, n)
			kernel.Lookup(test.inverse, dtype.Complex128, 0)(pointer(w), pointer(z), nil, nil, nil, n)
			kernel.Lookup(test.function, dtype.Complex128, 0)(pointer(back), pointer(w), nil, nil, nil, n)
			for i, v := range z {
				// Where a function is flat, or large, it shows the last digit of its argument
				// several times over.
				if most := 1e-13 * max(cmplx.Abs(v), float64(flat(test.inverse))); cmplx.Abs(back[i]-v) > most {
					t.Fatalf("%v of %v is %v, and %v of that %v", test.inverse, v, w[i], test.function, back[i])
				}
			}
		})
	}
}

// flat is the size of numbers up to which the inverse loses digits: functions of about 1 can't show
// smaller ones.
func flat(op kernel.Op) int {
	switch op {
	case kernel.Log, kernel.Log2, kernel.Acos, kernel.Acosh:
		return 1
	}
	return 0
}

// anySize returns a number between 2 to the -300 and 2 to the largest.
func anySize(rng *rand.Rand, largest float64) float64 {
	exponent := largest * (1 - 2*rng.Float64())
	if rng.IntN(4) == 0 {
		exponent = -300 * rng.Float64()
	}
	return math.Exp2(exponent) * (2*rng.Float64() - 1)
}

// TestComplexHard checks numbers at which simple formulas fail, part by part. The results are those
// of mpmath at 300 bits.
func TestComplexHard(t *testing.T) {
	tests := []struct {
		op   kernel.Op
		z    complex128
		want complex128
	}{
		{kernel.Log1p, complex(1e-20, 1e-12), complex(1.0000499999999999e-20, 9.9999999999999998e-13)},
		{kernel.Log1p, complex(-0.2, 0.6), complex(-2.2204460492503131e-17, 0.64350110879328438)},
		{kernel.Log, complex(0.6, 0.8), complex(2.2204460492503132e-17, 0.92729521800161228)},
		{kernel.Log, complex(1.7e308, 1.7e308), complex(710.07341048350821, 0.78539816339744831)},
		{kernel.Expm1, complex(1e-12, 1e-7), complex(9.9500000000049498e-13, 1.0000000000009983e-7)},
		{kernel.Exp, complex(709.5, 1.5), complex(9.5847940526337673e+306, 1.3515920604334267e+308)},
		{kernel.Sqrt, complex(1e308, 1e308), complex(1.09868411346781e+154, 4.5508986056222734e+153)},
		{kernel.Sqrt, complex(4e-320, 0), complex(1.9999888671516979e-160, 0)},
		{kernel.Asin, complex(1, 1e-10), complex(1.5707863267948967, 1.0000000000083334e-5)},
		{kernel.Acos, complex(1, 1e-10), complex(9.9999999999166668e-6, -1.0000000000083334e-5)},
		{kernel.Acosh, complex(1.0000001, -1e-20), complex(0.00044721359190373473, -2.2360679209453089e-17)},
		{kernel.Asinh, complex(1e300, 1e300), complex(691.81524866905362, 0.78539816339744831)},
		{kernel.Atanh, complex(1, 1e-200), complex(230.60508288968454, 0.78539816339744831)},
		{kernel.Atanh, complex(1e-9, 1e200), complex(0, 1.5707963267948966)},
		{kernel.Tanh, complex(25, 0.3), complex(1, 2.1781081694292898e-22)},
		{kernel.Tan, complex(1.5707963, 1e-9), complex(37268631.039842169, 1390885.4218405769)},
	}
	for _, test := range tests {
		z, w := []complex128{test.z}, make([]complex128, 1)
		kernel.Lookup(test.op, dtype.Complex128, 0)(pointer(w), pointer(z), nil, nil, nil, 1)
		got, want := [2]float64{real(w[0]), imag(w[0])}, [2]float64{real(test.want), imag(test.want)}
		for i := range got {
			if math.Abs(got[i]-want[i]) > 4*0x1p-52*math.Abs(want[i]) {
				t.Errorf("%v of %v is %v, want %v", test.op, test.z, w[0], test.want)
			}
		}
	}
}
