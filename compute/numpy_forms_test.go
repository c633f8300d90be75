package compute_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// TestNumPyForms are calls that NumPy 2.4 takes though they are odd, with what it makes of them:
// axes of numbers, which have none, running sums of bools, more differences than there are
// elements, and norms and covariances of no elements.
func TestNumPyForms(t *testing.T) {
	number := []int{}
	tests := []struct {
		text  string
		dtype dtype.Type
		shape []int
		want  []float64
	}{
		{"sum(z, axis=0)", dtype.Float64, number, []float64{3}},
		{"sum(z, axis=-1, keepdims=True)", dtype.Float64, number, []float64{3}},
		{"sum(z, axis=())", dtype.Float64, number, []float64{3}},
		{"prod(z, axis=-1)", dtype.Float64, number, []float64{3}},
		{"min(z, axis=0)", dtype.Float64, number, []float64{3}},
		{"max(z, axis=-1)", dtype.Float64, number, []float64{3}},
		{"ptp(z, axis=0)", dtype.Float64, number, []float64{0}},
		{"any(z, axis=0)", dtype.Bool, number, []float64{1}},
		{"all(z, axis=-1)", dtype.Bool, number, []float64{1}},
		{"count_nonzero(z, axis=0)", dtype.Int64, number, []float64{1}},
		{"argmin(z, axis=0, keepdims=True)", dtype.Int64, number, []float64{0}},
		{"argmax(z, axis=-1)", dtype.Int64, number, []float64{0}},
		{"nansum(z, axis=0)", dtype.Float64, number, []float64{3}},
		{"nanmax(z, axis=-1)", dtype.Float64, number, []float64{3}},
		{"cumsum(z, axis=0)", dtype.Float64, []int{1}, []float64{3}},
		{"cumprod(z, axis=-1)", dtype.Float64, []int{1}, []float64{3}},
		{"argsort(z)", dtype.Int64, []int{1}, []float64{0}},
		{"argsort(z, axis=0)", dtype.Int64, []int{1}, []float64{0}},
		{"argpartition(z, 0)", dtype.Int64, []int{1}, []float64{0}},
		{"cumsum(z, axis=0, dtype=bool)", dtype.Bool, []int{1}, []float64{1}},
		{"cumsum(x, dtype=bool)", dtype.Bool, []int{6}, []float64{0, 1, 1, 1, 1, 1}},
		{"cumsum(x, axis=1, dtype=bool)", dtype.Bool, []int{2, 3}, []float64{0, 1, 1, 1, 1, 1}},
		{"cumprod(x, axis=0, dtype=bool)", dtype.Bool, []int{2, 3}, []float64{0, 1, 1, 0, 1, 1}},
		{"cumprod([1, 2, 0, 1], dtype=bool)", dtype.Bool, []int{4}, []float64{1, 1, 0, 0}},
		{"nancumsum(x*0.5, dtype=bool)", dtype.Bool, []int{6}, []float64{0, 1, 1, 1, 1, 1}},
		{"diff(x, n=0)", dtype.Int64, []int{2, 3}, []float64{0, 1, 2, 3, 4, 5}},
		{"diff(x, n=99)", dtype.Int64, []int{2, 0}, nil},
		{"diff(x, n=99, axis=0)", dtype.Int64, []int{0, 3}, nil},
		{"diff(diff(x, n=9), n=2)", dtype.Int64, []int{2, 0}, nil},
		{"diff(x > 1, n=20)", dtype.Bool, []int{2, 0}, nil},
		{"norm(zeros(0), inf)", dtype.Float64, number, []float64{0}},
		{"norm(zeros((0, 3)), 2)", dtype.Float64, number, []float64{0}},
		{"norm(zeros((3, 0)), 2, keepdims=True)", dtype.Float64, []int{1, 1}, []float64{0}},
		{"norm(zeros((0, 3), dtype=float32), inf)", dtype.Float32, number, []float64{0}},
		{"norm(zeros((3, 0)), inf)", dtype.Float64, number, []float64{0}},
		{"norm(zeros((3, 0)), 1)", dtype.Float64, number, []float64{0}},
		{"norm(zeros((2, 0, 3), dtype=complex64), 1, axis=(1, 2))", dtype.Float32, []int{2}, []float64{0, 0}},
		{"norm(zeros((2, 0, 3)), 2, axis=(-2, -1))", dtype.Float64, []int{2}, []float64{0, 0}},
		{"norm(zeros((0, 3)), inf, axis=1)", dtype.Float64, []int{0}, nil},
		{"norm(zeros((0, 3)), -1)", dtype.Float64, number, []float64{0}},
		{"norm(zeros(0), -2)", dtype.Float64, number, []float64{math.Inf(1)}},
		{"isnan(cov(zeros((2, 0))))", dtype.Bool, []int{2, 2}, []float64{1, 1, 1, 1}},
		{"isnan(cov(zeros((0, 2)), rowvar=False))", dtype.Bool, []int{2, 2}, []float64{1, 1, 1, 1}},
		{"isnan(cov(zeros(0)))", dtype.Bool, number, []float64{1}},
		{"cov(zeros((2, 0)), ddof=-1)", dtype.Float64, []int{2, 2}, []float64{0, 0, 0, 0}},
		{"isnan(corrcoef(zeros((2, 0))))", dtype.Bool, []int{2, 2}, []float64{1, 1, 1, 1}},
		{"partition(zeros((3, 0)), 0)", dtype.Float64, []int{3, 0}, nil},
		{"partition(zeros((3, 0)), 5, axis=0)", dtype.Float64, []int{3, 0}, nil},
		{"partition(zeros((0, 3)), [1, 7])", dtype.Float64, []int{0, 3}, nil},
		{"partition(zeros(0, dtype=int8), -1)", dtype.Int8, []int{0}, nil},
		{"partition(zeros((2, 0)), 0, axis=None)", dtype.Float64, []int{0}, nil},
		{"argpartition(zeros((3, 0)), 0)", dtype.Int64, []int{3, 0}, nil},
		{"argpartition(zeros(0), 7)", dtype.Int64, []int{0}, nil},
		{"bincount([])", dtype.Int64, []int{0}, nil},
		{"bincount(zeros(0))", dtype.Int64, []int{0}, nil},
		{"bincount(zeros(0, dtype=float32), minlength=3)", dtype.Int64, []int{3}, []float64{0, 0, 0}},
		{"bincount([], weights=[])", dtype.Int64, []int{0}, nil},
	}
	z, err := array(t, []float64{3}).Reshape()
	if err != nil {
		t.Fatal(err)
	}
	operands := map[string]*view.Tensor{"z": z, "x": array(t, []int64{0, 1, 2, 3, 4, 5}, 2, 3)}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got, err := evaluate(t.Context(), test.text, operands, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.shape, got.shape); diff != "" || got.dtype != test.dtype {
				t.Errorf("%v elements, want %v; shape (-want +got):\n%s", got.dtype, test.dtype, diff)
			}
			if diff := cmp.Diff(test.want, got.values()); diff != "" {
				t.Errorf("elements (-want +got):\n%s", diff)
			}
		})
	}
	for _, text := range []string{
		"sum(z, axis=1)", "sum(z, axis=-2)", "sum(z, axis=(0,))", "mean(z, axis=0)", "std(z, axis=0)", "median(z, axis=0)", "sort(z)", "sort(z, axis=0)",
		"partition(x, 3)", "partition(x[:0], 0, axis=2)", "bincount(zeros((0, 3)))", "bincount(zeros(1))", "cumsum(z, axis=1)", "argsort(z, axis=1)", "diff(z)", "diff(x, n=-1)",
	} {
		if _, err := evaluate(t.Context(), text, operands, &compute.Options{}); err == nil {
			t.Errorf("%s is no error", text)
		}
	}
}
