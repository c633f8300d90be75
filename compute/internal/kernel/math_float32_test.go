package kernel_test

import (
	"flag"
	"fmt"
	"math"
	"sync"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/kernel/kerneltest"
	"github.com/tstore/tstore/dtype"
)

// long runs the sweeps of these tests whole, as make sweeps does. Without it they take steps.
var long = flag.Bool("long", false, "run the sweeps whole, not in steps")

var exhaustive = flag.Bool("exhaustive", false, "compute the functions of one float32 for all of them, not only a sample")

// maxULPFloat32 is how far a float32 result may be from the exact one, in units of its last place.
const maxULPFloat32 = 1

// references are the functions in float64, precise enough to judge float32 results.
var references = []struct {
	op kernel.Op
	f  func(float64) float64
}{
	{kernel.Cbrt, math.Cbrt},
	{kernel.Exp, math.Exp},
	{kernel.Exp2, math.Exp2},
	{kernel.Expm1, math.Expm1},
	{kernel.Log, math.Log},
	{kernel.Log2, math.Log2},
	{kernel.Log10, math.Log10},
	{kernel.Log1p, math.Log1p},
	{kernel.Sin, math.Sin},
	{kernel.Cos, math.Cos},
	{kernel.Tan, math.Tan},
	{kernel.Asin, math.Asin},
	{kernel.Acos, math.Acos},
	{kernel.Atan, math.Atan},
	{kernel.Sinh, math.Sinh},
	{kernel.Cosh, math.Cosh},
	{kernel.Tanh, math.Tanh},
	{kernel.Asinh, math.Asinh},
	{kernel.Acosh, math.Acosh},
	{kernel.Atanh, math.Atanh},
	{kernel.Erf, math.Erf},
	{kernel.Erfc, math.Erfc},
	{kernel.Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	{kernel.Gelu, gelu},
}

func gelu(x float64) float64 {
	if math.IsInf(x, -1) {
		return math.Copysign(0, -1)
	}
	return x / 2 * math.Erfc(-x*math.Sqrt2/2)
}

// TestMathFloat32 measures the functions of one float32 on every instruction set, and compares
// their bits. With -short it computes hashes of all the results, and measures those of functions
// whose hash is not that of the results measured without.
func TestMathFloat32(t *testing.T) {
	step := uint64(kerneltest.Step)
	if *exhaustive {
		step = 1
	}
	for _, r := range references {
		t.Run(r.op.String(), func(t *testing.T) {
			s := &sweep32{op: r.op, reference: r.f, step: step, kernels: kernelsOf(r.op, dtype.Float32)}
			if !*long && !*exhaustive && s.hashesAre(kerneltest.Hashes[r.op]) {
				return
			}
			kerneltest.Blocks(step, s.block)
			t.Logf("worst %.4f ulp at %08x = %v", s.worst, math.Float32bits(s.worstAt), s.worstAt)
			if len(s.failures) > 0 {
				t.Errorf("%d wrong results: %s", s.failed, s.failures)
			}
			if got, want := s.hash.Sum(), kerneltest.Hashes[r.op]; got != want && !*exhaustive {
				t.Errorf("results have the hash %#x, want %#x", got, want)
			}
		})
	}
}

// references2 are the functions of two float32s.
var references2 = []struct {
	op kernel.Op
	f  func(x, y float64) float64
}{
	{kernel.Pow, math.Pow},
	{kernel.Atan2, math.Atan2},
	{kernel.Hypot, math.Hypot},
}

// TestMathFloat32Pairs measures the functions of two float32s and compares their bits: of every
// pair of special ones, and of random ones near 1 and of any size.
func TestMathFloat32Pairs(t *testing.T) {
	var x, y []float32
	add := func(a, b float32) { x, y = append(x, a), append(y, b) }
	for _, a := range specialFloats {
		for _, b := range specialFloats {
			add(float32(a), float32(b))
		}
	}
	rng := newRand()
	for range 200_000 {
		add(float32(math.Exp(rng.NormFloat64())), float32(20*rng.NormFloat64()))
		add(math.Float32frombits(rng.Uint32()), math.Float32frombits(rng.Uint32()))
		add(math.Float32frombits(rng.Uint32()), float32(rng.IntN(9)-4))
	}
	z := make([]float32, len(x))
	for _, r := range references2 {
		t.Run(r.op.String(), func(t *testing.T) {
			kernels := kernelsOf(r.op, dtype.Float32)
			kernels["go"](pointer(z), pointer(x), pointer(y), nil, nil, len(z))
			compareKernels(t, kernels, x, y, z)
			worst := 0.0
			for i := range z {
				want := r.f(float64(x[i]), float64(y[i]))
				ulps := ulpsFloat32(z[i], want)
				if !(ulps <= maxULPFloat32) {
					t.Fatalf("of %v and %v: got %v, want %v: %.2f ulp", x[i], y[i], z[i], want, ulps)
				}
				worst = max(worst, ulps)
			}
			t.Logf("worst %.4f ulp", worst)
		})
	}
}

// compareKernels compares what kernels make of x and y with z, bit for bit but for NaNs.
func compareKernels(t *testing.T, kernels map[string]kernel.Func, x, y, z []float32) {
	got := make([]float32, len(z))
	for isa, fn := range kernels {
		if isa == "go" {
			continue // z is what it makes
		}
		fn(pointer(got), pointer(x), pointer(y), nil, nil, len(z))
		for i := range z {
			if math.Float32bits(z[i]) != math.Float32bits(got[i]) && (z[i] == z[i] || got[i] == got[i]) {
				t.Fatalf("%s makes %v of %v and %v, Go %v", isa, got[i], x[i], y[i], z[i])
			}
		}
	}
}

// kernelsOf returns the kernels of an operation on every instruction set, in Go first.
func kernelsOf(op kernel.Op, typ dtype.Type) map[string]kernel.Func {
	e := kernel.Entry{Op: op, Type: typ}
	all := map[string]kernel.Func{}
	for _, table := range append(kernel.AssembledTables(), kernel.GenericTable()) {
		if fn := table.Funcs[e]; fn != nil {
			all[table.ISA] = fn
		}
	}
	return all
}

// A sweep32 runs a function over every step-th float32.
type sweep32 struct {
	op        kernel.Op
	reference func(float64) float64
	step      uint64
	kernels   map[string]kernel.Func

	hash kerneltest.Hash

	mu       sync.Mutex
	worst    float64
	worstAt  float32
	failed   int
	failures []string // the first few
}

// goBlocks is of how many blocks one is computed in Go as well, when all arguments are: that takes
// most of the time, and the samples of the usual test are spread differently.
const goBlocks = 16

// hashesAre reports whether the results of every kernel have a hash. Where there are assembled
// ones, that in Go is their meaning, and is not run.
func (s *sweep32) hashesAre(want uint64) bool {
	for isa, fn := range s.kernels {
		if isa == "go" && len(s.kernels) > 1 {
			continue
		}
		var hash kerneltest.Hash
		kerneltest.Blocks(s.step, func(first uint64) {
			var x, y [kerneltest.BlockElems]float32
			n := kerneltest.Args(&x, first, s.step)
			fn(unsafe.Pointer(&y), unsafe.Pointer(&x), nil, nil, nil, n)
			hash.Add(first, y[:n])
		})
		if hash.Sum() != want {
			return false
		}
	}
	return true
}

// block checks the results of a block.
func (s *sweep32) block(first uint64) {
	var x, y, z [kerneltest.BlockElems]float32
	n := kerneltest.Args(&x, first, s.step)
	inGo := s.step > 1 || len(s.kernels) == 1 || first/kerneltest.BlockElems%goBlocks == 0
	measured := ""
	for isa, fn := range s.kernels {
		if isa == "go" && !inGo {
			continue
		}
		if measured == "" {
			measured = isa
			fn(unsafe.Pointer(&y), unsafe.Pointer(&x), nil, nil, nil, n)
			continue
		}
		fn(unsafe.Pointer(&z), unsafe.Pointer(&x), nil, nil, nil, n)
		for i := range n {
			if math.Float32bits(y[i]) != math.Float32bits(z[i]) && (y[i] == y[i] || z[i] == z[i]) {
				s.fail("%s makes %v of %08x, %s %v", isa, z[i], math.Float32bits(x[i]), measured, y[i])
			}
		}
	}
	s.hash.Add(first, y[:n])
	worst, worstAt := 0.0, float32(0)
	for i := range n {
		want := s.reference(float64(x[i]))
		ulps := ulpsFloat32(y[i], want)
		if !(ulps <= maxULPFloat32) {
			s.fail("%08x = %v: got %v, want %v: %.2f ulp", math.Float32bits(x[i]), x[i], y[i], want, ulps)
		}
		if ulps > worst {
			worst, worstAt = ulps, x[i]
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if worst > s.worst {
		s.worst, s.worstAt = worst, worstAt
	}
}

func (s *sweep32) fail(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed++; s.failed <= 5 {
		s.failures = append(s.failures, fmt.Sprintf(format, args...))
	}
}

// ulpsFloat32 returns by how many units in its last place got differs from want; +Inf if only one
// of them is NaN, or if got is a zero of the wrong sign. Infinity counts as 2^128.
func ulpsFloat32(got float32, want float64) float64 {
	g := float64(got)
	switch {
	case g != g && want != want, g == want && math.Signbit(g) == math.Signbit(want):
		return 0
	case g != g || want != want || g == 0 && math.Signbit(g) != math.Signbit(want):
		return math.Inf(1)
	case math.IsInf(g, 0):
		g = math.Copysign(0x1p128, g)
		if math.Abs(want) >= 0x1p128 && g*want > 0 {
			return 0
		}
	}
	// The exponent is that of a fraction between 1/2 and 1; float64s that are subnormal count as
	// the smallest float32.
	exponent := int(math.Float64bits(want)>>52&0x7ff) - 1022
	unit := math.Float64frombits(uint64(min(max(exponent, -125), 128)-24+1023) << 52)
	return math.Abs(g-want) / unit
}
