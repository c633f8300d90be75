package compute_test

import (
	"math"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// TestPartsOfComplex are calls in which the parts of complex numbers, or the signs of zeros, keep
// apart, with what NumPy 2.4 makes of them.
func TestPartsOfComplex(t *testing.T) {
	inf, nan, minus := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	operands := map[string]*view.Tensor{
		"far":   array(t, []complex128{complex(inf, 1.234), complex(1.239, nan), complex(-1235, minus)}),
		"small": array(t, []complex64{complex(float32(inf), 1.25), complex(minus32(), -0.375)}),
		"zeros": array(t, []complex128{complex(minus, minus), complex(minus, minus)}),
		"ones":  array(t, []complex128{complex(1, minus), complex(2, inf), complex(1, 0)}),
		"holes": array(t, []complex128{complex(nan, 1), complex(1, minus), complex(3, 1)}),
		"rows":  array(t, []complex128{complex(1, minus), complex(inf, 1), 2, 1}, 2, 2),
		"minus": array(t, []float64{minus, minus, 0, minus}),
		"huge":  array(t, []float32{minus32(), 1, -1, minus32()}),
	}
	tests := []struct {
		text string
		want []complex128
	}{
		{"round(far, 2)", []complex128{complex(inf, 1.23), complex(1.24, nan), complex(-1235, minus)}},
		{"round(far, -2)", []complex128{complex(inf, 0), complex(0, nan), complex(-1200, minus)}},
		{"round(small, 1)", []complex128{complex(inf, float64(float32(1.2))), complex(minus, float64(float32(-0.4)))}},
		{"round(far)", []complex128{complex(inf, 1), complex(1, nan), complex(-1235, minus)}},
		{"cumsum(zeros)", []complex128{complex(minus, minus), complex(minus, minus)}},
		{"nancumsum(zeros)", []complex128{complex(minus, minus), complex(minus, minus)}},
		{"cumprod(zeros)", []complex128{complex(minus, minus), complex(0, 0)}},
		{"cumprod(ones)", []complex128{complex(1, minus), complex(nan, inf), complex(nan, nan)}},
		{"cumprod(ones[1:])", []complex128{complex(2, inf), complex(nan, inf)}},
		{"nancumprod(holes)", []complex128{1, 1, complex(3, 1)}},
		{"nancumprod(holes[1:])", []complex128{complex(1, minus), complex(3, 1)}},
		{"cumprod(rows, axis=0)", []complex128{complex(1, minus), complex(inf, 1), 2, complex(inf, nan)}},
		{"cumprod(rows[:, :1], axis=1)", []complex128{complex(1, minus), 2}},
		{"cumsum(minus)", []complex128{complex(minus, 0), complex(minus, 0), 0, 0}},
		{"nancumsum(minus)", []complex128{complex(minus, 0), complex(minus, 0), 0, 0}},
		{"cumsum(huge)", []complex128{complex(minus, 0), 1, 0, 0}},
		{"cumprod(minus)", []complex128{complex(minus, 0), 0, 0, complex(minus, 0)}},
		{"sum(minus[:2])", []complex128{0}},
		{"sum(zeros)", []complex128{0}},
		{"nansum(minus[:2])", []complex128{0}},
		{"prod(minus[:1])", []complex128{complex(minus, 0)}},
		{"prod(ones[:1])", []complex128{complex(1, minus)}},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got, err := evaluate(t.Context(), test.text, operands, nil)
			if err != nil {
				t.Fatal(err)
			}
			size := got.dtype.Size()
			if n := len(got.elements) / size; n != len(test.want) {
				t.Fatalf("%d elements, want %d", n, len(test.want))
			}
			for i, want := range test.want {
				if g := dtype.Load(got.dtype, got.elements[i*size:]).Complex128(); !samePart(real(g), real(want)) || !samePart(imag(g), imag(want)) {
					t.Errorf("element %d is %v, want %v", i, g, want)
				}
			}
		})
	}
}

func minus32() float32 { return float32(math.Copysign(0, -1)) }

// samePart compares parts with their signs; all NaNs are the same.
func samePart(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}
