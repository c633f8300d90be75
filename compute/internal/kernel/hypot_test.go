package kernel_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// TestAbsComplex compares magnitudes with exact ones.
func TestAbsComplex(t *testing.T) {
	rng := newRand()
	const n = 20000
	z, abs := make([]complex128, n), make([]float64, n)
	for i := range z {
		exponent, apart := rng.IntN(2040)-1020, rng.IntN(60)-30
		z[i] = complex(math.Ldexp(rng.Float64(), exponent), math.Ldexp(-rng.Float64(), exponent+apart))
	}
	kernel.Lookup(kernel.Abs, dtype.Complex128, 0)(pointer(abs), pointer(z), nil, nil, nil, n)
	wrong := 0
	for i, v := range z {
		want := exactAbs(v)
		if abs[i] == want {
			continue
		}
		wrong++
		if abs[i] != math.Nextafter(want, 0) && abs[i] != math.Nextafter(want, math.Inf(1)) {
			t.Fatalf("|%v| is %v, want %v", v, abs[i], want)
		}
	}
	if wrong > n/100 {
		t.Errorf("%d of %d magnitudes are not the nearest, want 1 %% at most", wrong, n)
	}
}

// exactAbs returns the float64 nearest to the magnitude.
func exactAbs(z complex128) float64 {
	part := func(v float64) *big.Float {
		f := new(big.Float).SetPrec(4200).SetFloat64(v)
		return f.Mul(f, f)
	}
	sum := new(big.Float).SetPrec(4200).Add(part(real(z)), part(imag(z)))
	root, _ := sum.SetPrec(200).Sqrt(sum).Float64()
	return root
}
