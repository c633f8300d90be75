package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// mathArgs makes pairs of arguments of functions of float64s: every pair of special ones; those of the golden cases; and
// random ones: of any bits, of ordinary size, near 1, and of sizes that are not far from each other.
func mathArgs(t *testing.T, op kernel.Op, rng *rand.Rand) (x, y []float64) {
	add := func(a, b float64) { x, y = append(x, a), append(y, b) }
	for _, a := range specialFloats {
		for _, b := range specialFloats {
			add(a, b)
		}
	}
	for _, c := range mathCases(t)[op] {
		add(c.args[0], c.args[1])
	}
	sign := func(v float64) float64 { return math.Copysign(v, rng.Float64()-0.5) }
	for range 50_000 {
		a, b := math.Float64frombits(rng.Uint64()), math.Float64frombits(rng.Uint64())
		add(a, b)
		add(a, sign(a*(rng.Float64()+0.5)))
		add(a, float64(rng.IntN(9)-4))
		add(sign(math.Exp(3*rng.NormFloat64())), sign(math.Exp(3*rng.NormFloat64())))
		add(sign(math.Exp(3*rng.NormFloat64())), sign(math.Exp(30*rng.NormFloat64())))
		add(sign(math.Exp(20*rng.NormFloat64())), float64(rng.IntN(200)-100))
		add(sign(2*rng.Float64()), 30*rng.NormFloat64())
		add(sign(1+rng.NormFloat64()*math.Ldexp(1, -rng.IntN(53))), sign(math.Ldexp(rng.Float64(), rng.IntN(60))))
	}
	return x, y
}

// TestMathFloat64Same compares the bits of the functions of float64s on every instruction set, and the forms with scalars.
func TestMathFloat64Same(t *testing.T) {
	for op := range kernel.NumOps {
		fns := kernelsOf(op, dtype.Float64)
		if len(mathCases(t)[op]) == 0 || len(fns) < 2 {
			continue
		}
		t.Run(op.String(), func(t *testing.T) {
			x, y := mathArgs(t, op, newRand())
			want, got := make([]float64, len(x)), make([]float64, len(x))
			fns["go"](pointer(want), pointer(x), pointer(y), nil, nil, len(x))
			for isa, fn := range fns {
				fn(pointer(got), pointer(x), pointer(y), nil, nil, len(x))
				compareFloat64(t, isa, x, y, got, want)
			}
		})
	}
}

// compareFloat64 compares results bit for bit but for NaNs.
func compareFloat64(t *testing.T, isa string, x, y, got, want []float64) {
	wrong := 0
	for i := range want {
		if math.Float64bits(want[i]) == math.Float64bits(got[i]) || want[i] != want[i] && got[i] != got[i] {
			continue
		}
		if wrong++; wrong <= 5 {
			t.Errorf("%s makes %v = %016x of %v = %016x and %v = %016x, Go %v = %016x", isa, got[i], math.Float64bits(got[i]),
				x[i], math.Float64bits(x[i]), y[i], math.Float64bits(y[i]), want[i], math.Float64bits(want[i]))
		}
	}
	if wrong > 5 {
		t.Errorf("%s: %d of %d results differ", isa, wrong, len(want))
	}
}
