package compute_test

import (
	"math"
	"slices"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

// smallFloats are the types that are computed with in float32.
var smallFloats = []dtype.Type{dtype.Float16, dtype.BFloat16, dtype.Float8E4M3FN, dtype.Float8E5M2}

// everyFloat returns a tensor of all elements of a type of up to 16 bits.
func everyFloat(t *testing.T, dt dtype.Type) *view.Tensor {
	t.Helper()
	n := 1 << (8 * dt.Size())
	b := tensortest.Buffer(n*dt.Size(), 0)
	for i := range n {
		b[i*dt.Size()] = byte(i)
		if dt.Size() == 2 {
			b[2*i+1] = byte(i >> 8)
		}
	}
	return tensor(t, b, dt, tensortest.Layout{Shape: []int{n}, Strides: []int{1}, Span: n})
}

// values returns elements as float64.
func (e elements) values() []float64 {
	var all []float64
	for i := 0; i < len(e.elements); i += e.dtype.Size() {
		all = append(all, dtype.Load(e.dtype, e.elements[i:]).Float64())
	}
	return all
}

// TestNextAfterOfSmallFloats checks that no float of the type is between a float and the one that
// is next to it.
func TestNextAfterOfSmallFloats(t *testing.T) {
	for _, dt := range smallFloats {
		x := everyFloat(t, dt)
		all, err := evaluate(t.Context(), "x", map[string]*view.Tensor{"x": x}, nil)
		if err != nil {
			t.Fatal(err)
		}
		from := all.values()
		sorted := slices.DeleteFunc(slices.Clone(from), math.IsNaN)
		slices.Sort(sorted)
		sorted = slices.Compact(sorted)
		for _, text := range []string{"448", "-448", "0", "1", "-1.5", "inf", "-inf", "nan"} {
			y, err := dtype.ParseScalar(dtype.Float32, text)
			if err != nil {
				t.Fatal(err)
			}
			towards := y.Convert(dt).Float64()
			got, err := evaluate(t.Context(), "nextafter(x, "+text+")", map[string]*view.Tensor{"x": x}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, next := range got.values() {
				want := neighbour(sorted, from[i], towards)
				if next != want && !(math.IsNaN(next) && math.IsNaN(want)) {
					t.Fatalf("nextafter(%v, %v) of %v is %v, want %v", from[i], towards, dt, next, want)
				}
			}
		}
	}
}

// neighbour returns what comes after x in sorted numbers, in the direction of y.
func neighbour(sorted []float64, x, y float64) float64 {
	i, _ := slices.BinarySearch(sorted, x)
	switch {
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case y > x:
		return sorted[i+1]
	case y < x:
		return sorted[i-1]
	}
	return x
}

// TestDegreesOfSmallFloats checks that degrees are rounded once, from a product with a factor that
// is not rounded to the type.
func TestDegreesOfSmallFloats(t *testing.T) {
	factors := map[string]float64{"deg2rad": math.Pi / 180, "rad2deg": 180 / math.Pi}
	for _, dt := range smallFloats {
		x := everyFloat(t, dt)
		for name, factor := range factors {
			got, err := evaluate(t.Context(), name+"(x)", map[string]*view.Tensor{"x": x}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.dtype != dt {
				t.Fatalf("%s of %v is %v", name, dt, got.dtype)
			}
			for i, v := range got.values() {
				degrees, err := x.Get(i)
				if err != nil {
					t.Fatal(err)
				}
				want := dtype.ScalarOf(float32(degrees.Float64()) * float32(factor)).Convert(dt).Float64()
				if v != want && !(math.IsNaN(v) && math.IsNaN(want)) {
					t.Fatalf("%s(%v) of %v is %v, want %v", name, degrees, dt, v, want)
				}
			}
		}
	}
}
