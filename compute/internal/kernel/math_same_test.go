package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// mathArgs makes pairs of arguments of functions of float64s: every pair of special ones, and
// random ones: of any bits, of ordinary size, near 1, and of sizes that are not far from each
// other.
func mathArgs(rng *rand.Rand) (x, y []float64) {
	add := func(a, b float64) { x, y = append(x, a), append(y, b) }
	for _, a := range specialFloats {
		for _, b := range specialFloats {
			add(a, b)
		}
	}
	sign := func(v float64) float64 { return math.Copysign(v, rng.Float64()-0.5) }
	for range 20_000 {
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

// TestFloatsSame compares the bits of all operations on one or two floats that give floats, on
// every instruction set.
func TestFloatsSame(t *testing.T) {
	cases := mathCases(t)
	anyX, anyY := mathArgs(newRand())
	for op := range kernel.NumOps {
		if op.NumOperands() > 2 {
			continue
		}
		x, y := slices.Clone(anyX), slices.Clone(anyY)
		for _, c := range cases[op] {
			x, y = append(x, c.args[0]), append(y, c.args[1])
		}
		if kernel.ResultType(op, dtype.Float64) == dtype.Float64 {
			t.Run(fmt.Sprintf("%v/float64", op), func(t *testing.T) { compareKernelsOf(t, op, dtype.Float64, x, y, math.Float64bits) })
		}
		if kernel.ResultType(op, dtype.Float32) == dtype.Float32 {
			a, b := float32s(x), float32s(y)
			t.Run(fmt.Sprintf("%v/float32", op), func(t *testing.T) {
				compareKernelsOf(t, op, dtype.Float32, a, b, func(v float32) uint64 { return uint64(math.Float32bits(v)) })
			})
		}
	}
}

// float32s returns the numbers as float32s, those that are not near any with other exponents.
func float32s(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		if y[i] = float32(v); math.IsInf(float64(y[i]), 0) || y[i] == 0 {
			y[i] = math.Float32frombits(uint32(math.Float64bits(v) >> 25))
		}
	}
	return y
}

// compareKernelsOf compares results in assembly with those in Go, bit for bit but for NaNs.
func compareKernelsOf[T float32 | float64](t *testing.T, op kernel.Op, typ dtype.Type, x, y []T, bits func(T) uint64) {
	kernels := kernelsOf(op, typ)
	want, got := make([]T, len(x)), make([]T, len(x))
	kernels["go"](pointer(want), pointer(x), pointer(y), nil, nil, len(x))
	for isa, fn := range kernels {
		if isa == "go" {
			continue // want is what it makes
		}
		fn(pointer(got), pointer(x), pointer(y), nil, nil, len(x))
		wrong := 0
		for i := range want {
			if bits(want[i]) == bits(got[i]) || want[i] != want[i] && got[i] != got[i] {
				continue
			}
			if wrong++; wrong <= 5 {
				t.Errorf("%s makes %v = %#x of %v = %#x and %v = %#x, Go %v = %#x", isa, got[i], bits(got[i]), x[i], bits(x[i]), y[i],
					bits(y[i]), want[i], bits(want[i]))
			}
		}
		if wrong > 5 {
			t.Errorf("%s: %d of %d results differ", isa, wrong, len(want))
		}
	}
}
