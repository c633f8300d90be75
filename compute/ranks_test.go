package compute_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// TestMedianOfManyElements holds medians of lanes that are counted, and of those that are copied, against sorted elements.
func TestMedianOfManyElements(t *testing.T) {
	const rows, cols = 2, 1<<20 + 77
	r := rand.New(rand.NewPCG(1, 2))
	elems := make([]float32, rows*cols)
	for i := range elems {
		elems[i] = float32(r.NormFloat64())
	}
	x, err := view.FromSlice(elems, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	sorted := slices.Sorted(slices.Values(elems))
	n := len(sorted)
	for _, tt := range []struct {
		text string
		want float32
	}{
		{"median(x)", (sorted[n/2-1] + sorted[n/2]) / 2},
		{"median(x.T)", (sorted[n/2-1] + sorted[n/2]) / 2},
		{"quantile(x, 0.25, method='higher')", sorted[int(math.Ceil(float64(n-1)*0.25))]},
		{"median(x, axis=1)[1]", slices.Sorted(slices.Values(elems[cols:]))[cols/2]},
		{"median(x + 0, axis=0)[5]", (elems[5] + elems[cols+5]) / 2},
		{"max(nanquantile(where(x > 1, nan, x), [0.0, 1.0]))", sorted[countUpTo(sorted, 1)-1]},
	} {
		var first []byte
		for _, workers := range []int{1, 3} {
			got, err := evaluate(t.Context(), tt.text, map[string]*view.Tensor{"x": x}, &compute.Options{Parallelism: workers})
			if err != nil {
				t.Fatalf("%s: %v", tt.text, err)
			}
			if v := dtype.Load(got.dtype, got.elements).Float64(); v != float64(tt.want) {
				t.Errorf("%s with %d workers is %v, want %v", tt.text, workers, v, tt.want)
			}
			if first != nil && !bytes.Equal(first, got.elements) {
				t.Errorf("%s depends on the number of workers", tt.text)
			}
			first = got.elements
		}
	}
}

func countUpTo(sorted []float32, v float32) int {
	n, found := slices.BinarySearch(sorted, v)
	for found && n < len(sorted) && sorted[n] == v {
		n++
	}
	return n
}

// TestRanksInGo checks that the functions of Go make the texts that they stand for.
func TestRanksInGo(t *testing.T) {
	a, q := compute.Name("a"), compute.Scalar(0.5)
	for _, tt := range []struct {
		expr compute.Expr
		want string
	}{
		{compute.Median(a, compute.ReduceOptions{Axes: []int{1}}), "median(a, 1)"},
		{compute.Quantile(a, q, compute.QuantileOptions{}), "quantile(a, 0.5)"},
		{compute.Quantile(a, q, compute.QuantileOptions{Axes: []int{0, 1}, KeepDims: true, Method: "lower", SkipNaN: true}), "nanquantile(a, 0.5, (0, 1), \"lower\", True)"},
	} {
		if got := fmt.Sprint(tt.expr); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
