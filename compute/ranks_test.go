package compute_test

import (
	"bytes"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// TestMedianOfManyElements holds medians of lanes that are counted, and of those that are copied,
// against sorted elements.
func TestMedianOfManyElements(t *testing.T) {
	const rows = 2
	cols := manyRanked()
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
	sorted := ascending(elems)
	n := len(sorted)
	for _, tt := range []struct {
		text string
		want float32
	}{
		{"median(x)", (sorted[n/2-1] + sorted[n/2]) / 2},
		{"median(x.T)", (sorted[n/2-1] + sorted[n/2]) / 2},
		{"quantile(x, 0.25, method='higher')", sorted[int(math.Ceil(float64(n-1)*0.25))]},
		{"median(x, axis=1)[1]", ascending(elems[cols:])[cols/2]},
		{"median(x + 0, axis=0)[5]", (elems[5] + elems[cols+5]) / 2},
		{"max(nanquantile(where(x > 1, nan, x), [0.0, 1.0]))", sorted[countUpTo(sorted, 1)-1]},
	} {
		var first []byte
		for _, workers := range []int{1, 3} {
			if workers == 1 && !*compute.Long {
				continue
			}
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

func ascending(elems []float32) []float32 {
	sorted := slices.Clone(elems)
	slices.Sort(sorted)
	return sorted
}

// TestMedianOfManyComplex holds medians of long lanes of complex128 against sorted elements: with
// real parts of some values, of one, and NaNs.
func TestMedianOfManyComplex(t *testing.T) {
	cols := manyRanked()
	r := rand.New(rand.NewPCG(3, 4))
	few, alike, gaps := make([]complex128, 2*cols), make([]complex128, cols), make([]complex128, cols)
	for i := range few {
		few[i] = complex(float64(r.IntN(4)-2), r.NormFloat64())
	}
	for i := range gaps {
		alike[i] = complex(math.Copysign(0, float64(i%2)-0.5), r.NormFloat64())
		gaps[i] = []complex128{complex(math.NaN(), 1), complex(r.NormFloat64(), r.NormFloat64()), complex(1, math.NaN()), few[i], 0}[r.IntN(5)]
	}
	x, err := view.FromSlice(few, 2, cols)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	operands := map[string]*view.Tensor{"x": x, "a": fromSlice(t, alike), "g": fromSlice(t, gaps)}
	middle := func(x []complex128) complex128 {
		sorted := make([]order.Wide, len(x))
		order.EncodeWide(sorted, bytesOfSlice(x), false)
		order.Sort(sorted, make([]order.Wide, len(x)), 0, false)
		return (sorted[(len(x)-1)/2].Scalar().Complex128() + sorted[len(x)/2].Scalar().Complex128()) / 2
	}
	whole := slices.DeleteFunc(slices.Clone(gaps), cmplx.IsNaN)
	nan := complex(math.NaN(), math.NaN())
	for text, want := range map[string]complex128{
		"median(x.T[::-1])":            middle(few),
		"median(x[:, :-1], axis=1)[1]": middle(few[cols : 2*cols-1]),
		"nanmedian(a[::-1])":           middle(alike),
		"median(a[1:])":                middle(alike[1:]),
		"median(a * 0 + 2)":            2,
		"nanmedian(g)":                 middle(whole),
		"median(g)":                    nan,
		"nanmedian(g * nan)":           nan,
	} {
		for _, o := range []compute.Options{{Parallelism: 1}, {Parallelism: 3, MemoryLimit: 1 << 20}} {
			if o.Parallelism == 1 && !*compute.Long {
				continue
			}
			got, err := evaluate(t.Context(), text, operands, &o)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if z := dtype.Load(got.dtype, got.elements).Complex128(); compareComplex(z, want) != 0 {
				t.Errorf("%s with %d workers is %v, want %v", text, o.Parallelism, z, want)
			}
		}
	}
}

// TestMedianOfComplexKeepsLittle checks that a median takes little memory beside its elements, of
// whatever kind these are.
func TestMedianOfComplexKeepsLittle(t *testing.T) {
	const n = 3 << 20
	r := rand.New(rand.NewPCG(5, 6))
	x, alike := make([]complex128, n), make([]complex128, n)
	for i := range x {
		x[i] = complex(r.NormFloat64(), r.NormFloat64())
		alike[i] = complex(1, imag(x[i]))
	}
	operands := map[string]*view.Tensor{"x": fromSlice(t, x), "a": fromSlice(t, alike)}
	for _, text := range []string{"median(x)", "median(a)"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := evaluate(t.Context(), text, operands, &compute.Options{Parallelism: 1}); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		runtime.ReadMemStats(&after)
		if more := after.TotalAlloc - before.TotalAlloc; more > 16*n/3 {
			t.Errorf("%s allocates %d bytes for elements of %d", text, more, 16*n)
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

// manyRanked is the length of rows of which two are more elements than selection keeps, and with
// -long one.
func manyRanked() int {
	if *compute.Long {
		return 1<<20 + 77
	}
	return 1<<19 + 77
}
