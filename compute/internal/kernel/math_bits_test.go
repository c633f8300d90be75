package kernel_test

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// mathBits holds hashes of results, which are the same on every processor. They change where a
// function gets other last bits, which is to be meant.
var mathBits = map[kernel.Op]uint64{
	kernel.Cbrt:      0x133cdf3e624dfc0d,
	kernel.Exp:       0x01b1eb2218634019,
	kernel.Exp2:      0x7f0cf3d929b1964c,
	kernel.Expm1:     0x5a845fe3b211af97,
	kernel.Log:       0xc60189293bc32c98,
	kernel.Log2:      0x6d21071737e44f41,
	kernel.Log10:     0x24c673c88d87241e,
	kernel.Log1p:     0x5f27e12c2bfb35ad,
	kernel.Sin:       0xf6216ebffb371d84,
	kernel.Cos:       0x0c9a3fd63516e76b,
	kernel.Tan:       0xfdeec0d1bea0e8e3,
	kernel.Asin:      0x50c376d20d3b6927,
	kernel.Acos:      0x163fadfd924b31fd,
	kernel.Atan:      0x2b7fa48b0dfdb0d8,
	kernel.Sinh:      0x7f824d562d47c897,
	kernel.Cosh:      0x40b95ec626d3e4aa,
	kernel.Tanh:      0x111dd4a17d220f19,
	kernel.Asinh:     0x5276c2a3b0d0d1f5,
	kernel.Acosh:     0xd988e890ae9620f2,
	kernel.Atanh:     0x633ef414c62b24d5,
	kernel.Erf:       0x96f2ba2fe28e925c,
	kernel.Erfc:      0xf91c9a13e0ed2bad,
	kernel.Sigmoid:   0xd68429c029a8f8e9,
	kernel.Gelu:      0xc1fb943801aa2992,
	kernel.Pow:       0x85be464f5d786f21,
	kernel.Atan2:     0x7f847a5509c3e079,
	kernel.Hypot:     0xfb6ebec0b839a5ce,
	kernel.LogAddExp: 0xf97293ac130b9dba,
}

// TestMathBits compares the bits that Go makes of functions of float64s with those written down
// here.
func TestMathBits(t *testing.T) {
	x, y := exactArgs()
	z := make([]float64, len(x))
	for _, op := range slices.Sorted(maps.Keys(mathCases(t))) {
		kernel.Generic(op, dtype.Float64, 0)(pointer(z), pointer(x), pointer(y), nil, nil, len(z))
		h := fnv.New64a()
		var b [8]byte
		for _, v := range z {
			if v != v {
				v = math.NaN()
			}
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			h.Write(b[:])
		}
		if got := h.Sum64(); got != mathBits[op] {
			t.Errorf("results of %v have the hash %#x, want %#x", op, got, mathBits[op])
		}
	}
}

// exactArgs makes pairs of arguments without a function whose bits may depend on the processor:
// special ones, and random ones of any bits, of ordinary size and near 1.
func exactArgs() (x, y []float64) {
	rng := newRand()
	add := func(a, b float64) { x, y = append(x, a), append(y, b) }
	signed := func(v float64) float64 { return math.Float64frombits(math.Float64bits(v) | rng.Uint64()<<63) }
	for _, a := range specialFloats {
		for _, b := range specialFloats {
			add(a, b)
		}
	}
	for range 5000 {
		add(math.Float64frombits(rng.Uint64()), math.Float64frombits(rng.Uint64()))
		add(signed(math.Ldexp(rng.Float64(), rng.IntN(20)-10)), signed(math.Ldexp(rng.Float64(), rng.IntN(20)-10)))
		add(math.Ldexp(rng.Float64(), rng.IntN(60)-30), float64(rng.IntN(40)-20))
		add(signed(1.5*rng.Float64()), signed(30*rng.Float64()))
	}
	return x, y
}
