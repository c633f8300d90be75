package compute_test

import (
	"math"
	"testing"

	"github.com/tstore/tstore/view"
)

// TestReductionArguments checks what arguments of reductions do at the edges of their meaning, as
// NumPy has it.
func TestReductionArguments(t *testing.T) {
	nan := math.NaN()
	operands := map[string]*view.Tensor{
		"a":   array(t, []float64{1, 4, nan, nan}),
		"i":   array(t, []int64{1, 4}),
		"f":   array(t, []float32{0, 2}),
		"z":   array(t, []float32{0, 0}),
		"big": array(t, []float64{1e200, 1e200}),
	}
	for _, test := range []struct {
		text string
		want float64
	}{
		{"nanvar(a, ddof=1)", 4.5},
		{"nanvar(a, ddof=2)", nan},
		{"nanvar(a, ddof=3)", nan},
		{"nanstd(a, ddof=2.5)", nan},
		{"nanargmin(where(a < 2, inf, nan))", 0},
		{"nanargmax(where(a < 2, nan, -inf))", 1},
		{"nanargmin(i)", 0},
		{"nanvar(a, ddof=1, where=a > 2)", nan},
		{"var(a[:2], ddof=2)", math.Inf(1)},
		{"nanvar(i, ddof=2)", math.Inf(1)}, // integers have no NaN, and it is var then
		{"sum(f, dtype=bool, initial=-1)", 1},
		{"sum(z, dtype=bool, initial=-1)", 1},
		{"prod(f, dtype=bool, initial=2)", 0},
		{"sum(i, initial=2**62)", 1<<62 + 5},
		{"prod(i, initial=3)", 12},
		{"sum(f, initial=0.5)", 2.5},
		{"prod(big, initial=1e-300)", 1e100},
		{"prod(1 / big, initial=1e300)", 1e-100},
		{"prod(big[:0], initial=3)", 3},
		{"prod(big, initial=0)", 0},
		{"prod(big, axis=0, initial=1e-300, where=big > 0)", 1e100},
		{"nanprod(where(big > 0, big, nan), initial=1e-300)", 1e100},
		{"prod(f + 1e30, initial=1e-30)", float64(float32(1e30))},
		{"prod(big * (1 + 0j), initial=1e-300).real", 1e100},
	} {
		got, err := evaluate(t.Context(), test.text, operands, nil)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if v := got.values()[0]; v != test.want && !(math.IsNaN(v) && math.IsNaN(test.want)) {
			t.Errorf("%s is %v, want %v", test.text, v, test.want)
		}
	}
}
