package compute

import (
	"testing"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
)

// Functions of complex numbers are computed on a device, with the bits of the CPU.
func TestComplexFunctionsOnDevice(t *testing.T) {
	texts := []string{
		"sqrt(a)", "exp(a) + exp2(b)", "expm1(a)", "log(a) + log2(b)", "log10(a)", "log1p(a)", "sin(a)*cos(b)", "tan(a)", "sinh(a) - cosh(b)", "tanh(a)",
		"asin(a)", "acos(a)", "atan(a)", "asinh(a)", "acosh(a)", "atanh(a)", "a**b", "a**3", "abs(a)", "angle(a)",
	}
	for _, dt := range []dtype.Type{dtype.Complex64, dtype.Complex128} {
		p := newOperands(t, dt, 13, 15)
		for _, text := range texts {
			d := devicetest.Open(t, nil)
			made, want, err := p.run(t.Context(), text, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, got, err := p.run(t.Context(), text, &Options{Device: d})
			if err == nil {
				err = sameElements(made, got, want)
			}
			if err != nil || d.Stats().Launches == 0 {
				t.Errorf("%s of %v: %v, %d launches", text, dt, err, d.Stats().Launches)
			}
		}
	}
}
