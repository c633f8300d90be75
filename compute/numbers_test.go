package compute_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/view"
)

// TestNumbersAsElements makes elements of numbers that their type does not hold, which is an error
// where it is one in NumPy 2.4.
func TestNumbersAsElements(t *testing.T) {
	const uint8Holds, int32Holds = "out of range: uint8 holds 0 to 255", "out of range: int32 holds -2147483648 to 2147483647"
	operands := map[string]*view.Tensor{"u": array(t, []uint8{0, 7, 255}), "wide": array(t, []int64{300, -1})}
	tests := []struct {
		text string
		want []float64
		err  string
	}{
		{text: "array([255, 0], dtype=uint8)", want: []float64{255, 0}},
		{text: "array([300], dtype=uint8)", err: "300: " + uint8Holds},
		{text: "array([[1, 2], [3, -1]], dtype=uint8)", err: "-1: " + uint8Holds},
		{text: "array([300, 1.5], dtype=uint8)", err: "300: " + uint8Holds},
		{text: "asarray([True, 300], dtype=uint8)", err: "300: " + uint8Holds},
		{text: "array(300, dtype=uint8)", err: "300: " + uint8Holds},
		{text: "uint8([1, 300])", err: "300: " + uint8Holds},
		{text: "uint8(300)", err: "300: " + uint8Holds},
		{text: "uint8(300.5)", err: "300: " + uint8Holds},
		{text: "array([255.9, -0.5], dtype=uint8)", want: []float64{255, 0}},
		{text: "array([256.0], dtype=uint8)", err: "256: " + uint8Holds},
		{text: "array([3e9], dtype=int32)", err: "3000000000: " + int32Holds},
		{text: "array([1.5, -1.5], dtype=int32)", want: []float64{1, -1}},
		{text: "array([nan], dtype=int32)", err: "nan is no integer, as int32 elements are"},
		{text: "array([-inf], dtype=int32)", err: "-inf is no integer"},
		{text: "int32(nan)", err: "nan is no integer"},
		{text: "array([1 + 2j], dtype=float64)", err: "is complex, which float64 elements are not"},
		{text: "array([1j], dtype=int8)", err: "is no integer, as int8 elements are"},
		{text: "array([1e40, -1e40], dtype=float32)", want: []float64{math.Inf(1), math.Inf(-1)}},
		{text: "array([2**70, -1], dtype=float64)", want: []float64{0x1p70, -1}},
		{text: "array([2**63, 0], dtype=uint64)", want: []float64{0x1p63, 0}},
		{text: "array([0.0, nan, 1j], dtype=bool)", want: []float64{0, 1, 1}},
		{text: "array(wide, dtype=uint8)", want: []float64{44, 255}},
		{text: "wide.astype(uint8)", want: []float64{44, 255}},
		{text: "array([300]).astype(uint8)", want: []float64{44}},
		{text: "full(2, 300, dtype=uint8)", err: "300: " + uint8Holds},
		{text: "full_like(u, -1)", err: "-1: " + uint8Holds},
		{text: "u + 300", err: "300: " + uint8Holds},
		{text: "where(u > 7, 300, u)", err: "300: " + uint8Holds},
		{text: "maximum(u, -1)", err: "-1: " + uint8Holds},
		{text: "u == 300", want: []float64{0, 0, 0}},
		{text: "u > -1", want: []float64{1, 1, 1}},
		{text: "clip(u, -5, 300)", want: []float64{0, 7, 255}},
		{text: "clip(u, 300, 400)", err: "300: " + uint8Holds},
		{text: "sum(u, initial=300)", want: []float64{562}},
		{text: "sum(u, dtype=uint8, initial=300)", err: "300: " + uint8Holds},
		{text: "convolve2d(u.reshape(1, 3), u.reshape(1, 3), fillvalue=300)", err: "300: " + uint8Holds},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got, err := evaluate(t.Context(), test.text, operands, nil)
			if test.err != "" {
				if at := new(compute.ExprError); !errors.As(err, &at) || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v, want an *ExprError with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got.values()); diff != "" {
				t.Errorf("elements (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoneForAnArgument gives None for an argument that must be there to functions that take
// numbers.
func TestNoneForAnArgument(t *testing.T) {
	for _, text := range []string{
		"arange(None)", "arange(None, 3)", "random(None)", "full(3, None)", "full_like([1], fill_value=None)", "astype(None, int8)",
		"astype([1], None)", "move_sum([1], None)", "move_median([1.5], window=None)", "array(None)", "sum(None)", "clip(None, 0, 1)", "where(None, 1, 2)",
	} {
		if _, err := compute.Parse(text); err == nil || !strings.Contains(err.Error(), "lacks its argument") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
