package compute_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

// TestBackendsAgree computes expressions by kernels and by machine code, which show in no bit: of
// one long row, of rows of many lengths, of operands with gaps, for several workers.
func TestBackendsAgree(t *testing.T) {
	t.Parallel()
	texts := []string{
		"sum(a*b)", "mean((a - b)**2)", "sum(a*b + a/(b*b + 2), axis=-1)", "sum((a - b)*2 + b, axis=0)", "sum(a[..., ::2]*b[..., ::2] + 1)", "mean(a*2 + a[..., :1], axis=-1)",
		"s = sum(a*b); t = sum(a - b); u = s - t; u + mean(a + b)", "2*a*a + 3*a*b - b + 1.5", "where(a > b, a - b, exp(b)*2)", "clip(a*2 - b, -1, 1)/(abs(b) + 1)", "(a > b) & (a*2 < 3) | (b != 0)", "(a*b).astype(int32)*3 + 1",
		"a.T[::-1]*2 + b.T[::-1]", "sqrt(abs(a))*log(abs(b) + 1) + tanh(a)*sigmoid(b)", "sin(a*b + 1)*2 + b - a*0.5", "arctan2(a*2 - b, a*b + 1)*0.5 + a*a - b",
	}
	shapes := [][]int{{1}, {4099}, {2, 3, 2049}, {300, 33}, {31}, {100_003}, {7, 5001}}
	if !*compute.Long {
		shapes = shapes[:4]
	}
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64, dtype.Float16, dtype.BFloat16} {
		for _, shape := range shapes {
			rng := rand.New(rand.NewPCG(1, uint64(dt)))
			operands := map[string]*view.Tensor{}
			for _, name := range []string{"a", "b"} {
				operands[name] = randomTensor(t, rng, dt, shape)
			}
			for _, text := range texts {
				compareBackends(t, text, operands, dt, shape)
			}
		}
	}
}

// TestBackendsReduce does it for reductions that are one fold, of more types of elements.
func TestBackendsReduce(t *testing.T) {
	t.Parallel()
	texts := []string{
		"min(a*b)", "max(a*b - a, axis=-1)", "prod(a + b)", "sum(a > b)", "mean(a + b)", "count_nonzero(a*b - a)", "any(a*b > 60, axis=-1)", "all(a*a >= 0)", "norm(a - b)",
		"nanmin(a*b + a)", "nanmax(a*b + a, axis=0)", "s = sum(a*b); m = max(a + b); m - s + min(a - b)",
		// One of the reductions is of an operand that nothing else is computed of, or of no
		// operation at all.
		"s = sum(a*b); t = sum(c); t - s", "m = max(a + b); t = max(c); where(m > t, m, t) + t", "n = count_nonzero(a*b); t = count_nonzero(c); n*100_000 + t", "s = norm(a - b); t = norm(c); t - s",
		"any(c)", "sum(c, dtype=float64)", "count_nonzero(c[..., ::2])",
	}
	d := devicetest.New(nil)
	types := []dtype.Type{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Int32, dtype.Int64, dtype.Uint32, dtype.Uint64, dtype.Int8, dtype.Uint16}
	for _, dt := range types {
		for _, shape := range [][]int{{33}, {40_003}, {7, 4099}} {
			if !*compute.Long && shape[0] == 40_003 && dt.Size() > 4 {
				continue
			}
			rng := rand.New(rand.NewPCG(2, uint64(dt)))
			operands := map[string]*view.Tensor{}
			for _, name := range []string{"a", "b", "c"} {
				operands[name] = randomTensor(t, rng, dt, shape)
			}
			for _, text := range texts {
				compareBackends(t, text, operands, dt, shape)
				if *compute.Long || shape[0] == 33 {
					compareBackends(t, text, operands, dt, shape, &compute.Options{Device: d})
				}
			}
		}
	}
	if d.Stats().Launches == 0 {
		t.Error("nothing was launched")
	}
}

// compareBackends compares what several ways make of a program with what kernels make of it: those
// given, or all backends.
func compareBackends(t *testing.T, text string, operands map[string]*view.Tensor, dt dtype.Type, shape []int, others ...*compute.Options) {
	t.Helper()
	var want elements
	ways := []*compute.Options{{Backend: compute.BackendKernels}, {Backend: compute.BackendMachineCode, Parallelism: 3}, {Backend: compute.BackendMachineCode}, {}}
	if jit.ISA() == "" {
		ways = ways[:2] // all of them take kernels
	}
	if len(others) > 0 {
		ways = append(ways[:1], others...)
	}
	for i, o := range ways {
		got, err := evaluate(t.Context(), text, operands, o)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if i == 0 {
			want = got
		} else if !bytes.Equal(got.elements, want.elements) {
			t.Errorf("%s of %v %v, options %+v: not the bits of kernels", text, dt, shape, *o)
		}
	}
}

func randomTensor(t *testing.T, rng *rand.Rand, dt dtype.Type, shape []int) *view.Tensor {
	n := 1
	for _, size := range shape {
		n *= size
	}
	b := tensortest.Buffer(n*dt.Size(), 0)
	for i := 0; i < len(b); i += dt.Size() {
		dtype.ScalarOf(rng.NormFloat64() * 3).Convert(dt).Store(b[i:])
	}
	strides, span := make([]int, len(shape)), 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		strides[axis] = span
		span *= shape[axis]
	}
	return tensor(t, b, dt, tensortest.Layout{Shape: shape, Strides: strides, Span: n})
}

// TestBackendTold checks that a plan says what computes it.
func TestBackendTold(t *testing.T) {
	n := names{"a": array(t, make([]float32, 10_000)), "b": array(t, make([]complex64, 10_000))}
	var long strings.Builder
	for i := range 600 {
		fmt.Fprintf(&long, " + a/%d", i+2)
	}
	for _, test := range []struct {
		text    string
		backend compute.Backend
		want    string
	}{
		{"c = a*2 + 1/a", compute.BackendKernels, "kernels: machine code is not asked for"},
		{"c = a[:4000]*2 + 1/a[:4000]", compute.BackendAuto, "kernels: there are fewer than 4096 elements"},
		{"c = a*2", compute.BackendAuto, "kernels: one kernel does it"},
		{"c = b*2 + 1/b", compute.BackendMachineCode, "kernels: no machine code for operands of type complex64"},
		{"c = arctan2(a*2, a)", compute.BackendMachineCode, "kernels: no machine code for Atan2 of type float32"},
		{"c = arctan2(a*2 + 1/a, a)*3 + a/2", compute.BackendMachineCode, "1 of 7 operations by kernels: no machine code for Atan2 of type float32"},
		{"c = a" + long.String(), compute.BackendMachineCode, "kernels: no machine code for more than 1000 operations"},
		{"c = a", compute.BackendMachineCode, "kernels: nothing is computed"},
	} {
		p := newPlan(t, test.text, n.env(), &compute.Options{Backend: test.backend})
		got := p.String()
		if fallback := "kernels: no machine code for this processor or system"; !strings.Contains(got, test.want) && !strings.Contains(got, fallback) {
			t.Errorf("%s by %v: the plan has no %q:\n%s", test.text, test.backend, test.want, got)
		}
	}
	p := newPlan(t, "c = a*2 + 1/a", n.env(), &compute.Options{Backend: compute.BackendMachineCode})
	if got := p.String(); !strings.Contains(got, "bytes of machine code for avx") && !strings.Contains(got, "no machine code for this processor") {
		t.Errorf("the plan does not tell of machine code:\n%s", got)
	}
	p = newPlan(t, "c = sum(a*2)", n.env(), &compute.Options{Backend: compute.BackendMachineCode})
	if got := p.String(); !strings.Contains(got, "which adds up as well") && !strings.Contains(got, "kernels: no machine code for this processor") {
		t.Errorf("the plan does not tell of sums:\n%s", got)
	}
	p = newPlan(t, "c = max(a*2 + 1)", n.env(), &compute.Options{Backend: compute.BackendMachineCode})
	if got := p.String(); !strings.Contains(got, "which reduces as well") && !strings.Contains(got, "kernels: no machine code for this processor") {
		t.Errorf("the plan does not tell of reductions:\n%s", got)
	}
	for b := range compute.BackendMachineCode + 1 {
		if got, err := compute.ParseBackend(fmt.Sprint(b)); got != b || err != nil {
			t.Errorf("%v is read as %v, %v", b, got, err)
		}
	}
	if _, err := compute.ParseBackend("jit"); err == nil {
		t.Error("a backend that is not there was taken")
	}
}
