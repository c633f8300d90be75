package compute_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// manyElements are more than are sorted at once where the memory limit is low.
const manyElements = 300_001

// TestSortManyElements sorts lanes in memory by all workers, and in runs.
func TestSortManyElements(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	floats, wide := make([]float32, manyElements), make([]int64, manyElements)
	for i := range floats {
		floats[i], wide[i] = float32(r.NormFloat64()), r.Int64N(1<<40)>>r.IntN(40)
	}
	floats[5], floats[6] = float32(math.NaN()), float32(math.Inf(-1))
	x, y := fromSlice(t, floats), fromSlice(t, wide)
	operands := map[string]*view.Tensor{"x": x, "y": y}
	up, down := indexesOf(floats, false), indexesOf(wide, true)
	for _, tt := range []struct {
		text string
		want []byte
	}{
		{"sort(x)", bytesOfSlice(picked(floats, up))},
		{"argsort(x)", bytesOfSlice(up)},
		{"sort(y, descending=True)", bytesOfSlice(picked(wide, down))},
		{"argsort(y, descending=True)", bytesOfSlice(down)},
		{"sort(y[::-1], axis=None, descending=True)", bytesOfSlice(picked(wide, down))},
		{"argtopk(y, 1000)", bytesOfSlice(down[:1000])},
	} {
		for _, o := range []compute.Options{{Parallelism: 2}, {Parallelism: 1, MemoryLimit: 1 << 20}, {Parallelism: 3, MemoryLimit: 1 << 20}} {
			if !*compute.Long && o.Parallelism < 3 {
				continue
			}
			got, err := evaluate(t.Context(), tt.text, operands, &o)
			if err != nil {
				t.Fatalf("%s: %v", tt.text, err)
			}
			if !bytes.Equal(got.elements, tt.want) {
				t.Errorf("%s, %d workers, limit of %d bytes: not as expected", tt.text, o.Parallelism, o.MemoryLimit)
			}
		}
	}
}

func fromSlice[T dtype.Element](t testing.TB, x []T) *view.Tensor {
	t.Helper()
	made, err := view.FromSlice(x, len(x))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = made.Close() })
	return made
}

// indexesOf sorts the slow way, equal elements by their indexes.
func indexesOf[T cmp.Ordered](x []T, descending bool) []int64 {
	order := make([]int64, len(x))
	for i := range order {
		order[i] = int64(i)
	}
	slices.SortFunc(order, func(i, j int64) int {
		a, b := x[i], x[j]
		compared := cmp.Compare(a, b)
		if descending || a != a || b != b { // NaN is the last one here, and the first one for Compare
			compared = -compared
		}
		if compared == 0 {
			return cmp.Compare(i, j)
		}
		return compared
	})
	return order
}

func picked[T any](x []T, order []int64) []T {
	out := make([]T, len(order))
	for i, at := range order {
		out[i] = x[at]
	}
	return out
}

// TestSortUsesScratch checks that runs go where temporary elements go, and that this is given back.
func TestSortUsesScratch(t *testing.T) {
	x := fromSlice(t, make([]float32, manyElements))
	var sizes []int64
	var made []*mmapstore.Storage
	o := compute.Options{MemoryLimit: 1 << 20, Scratch: func(size int64) (*mmapstore.Storage, error) {
		sizes = append(sizes, size)
		st, err := mmapstore.New(size)
		made = append(made, st)
		return st, err
	}}
	if _, err := evaluate(t.Context(), "sort(x)", map[string]*view.Tensor{"x": x}, &o); err != nil {
		t.Fatal(err)
	}
	if want := []int64{4 * manyElements, 4 * manyElements}; !slices.Equal(sizes, want) {
		t.Errorf("room for %d bytes, want %d", sizes, want)
	}
	for _, st := range made {
		if _, err := st.Pin(); !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("room is still there: %v", err)
		}
	}
}

func TestSortIsCancelled(t *testing.T) {
	x := fromSlice(t, make([]float32, manyElements))
	ctx, cancel := context.WithCancel(t.Context())
	o := compute.Options{MemoryLimit: 1 << 20, Progress: func(compute.Progress) { cancel() }}
	if _, err := evaluate(ctx, "argsort(x)", map[string]*view.Tensor{"x": x}, &o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func bytesOfSlice[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(x[0])))
}

// TestUniqueManyElements puts elements together again of what is unique about them.
func TestUniqueManyElements(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 7))
	x := make([]int64, 150_001)
	for i := range x {
		x[i] = r.Int64N(1000) * r.Int64N(1000)
	}
	operands := map[string]*view.Tensor{"x": fromSlice(t, x)}
	for _, text := range []string{
		"all(unique(x)[unique_inverse(x)] == x)",
		"all(x[unique_index(x)] == unique(x))",
		"sum(unique_counts(x)) == 150001",
		"all(diff(unique(x)) > 0)",
		"all(searchsorted(sort(x), unique(x), side='right') == cumsum(unique_counts(x)))",
		"all(digitize(x, unique(x)) == unique_inverse(x) + 1)",
	} {
		got, err := evaluate(t.Context(), text, operands, &compute.Options{Parallelism: 2, MemoryLimit: 1 << 20})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !bytes.Equal(got.elements, []byte{1}) {
			t.Errorf("%s is not so", text)
		}
	}
}

// TestSearchComplex searches complex numbers, in room for the keys and without, as NumPy orders
// them.
func TestSearchComplex(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	parts := []float64{math.Inf(-1), -2, -1, math.Copysign(0, -1), 0, 1, math.Inf(1), math.NaN()}
	x, v := make([]complex128, 70_001), make([]complex128, 20_001)
	for _, z := range [][]complex128{x, v} {
		for i := range z {
			z[i] = complex(parts[r.IntN(len(parts))], parts[r.IntN(len(parts))]+float64(r.IntN(9)))
		}
	}
	reals := make([]float64, len(v))
	for i, z := range v {
		reals[i] = real(z)
	}
	sorted := slices.SortedFunc(slices.Values(x), compareComplex)
	places := func(at func(i int) complex128, side int) []byte {
		want := make([]int64, len(v))
		for i := range want {
			want[i] = int64(sort.Search(len(sorted), func(k int) bool { return compareComplex(sorted[k], at(i)) >= side }))
		}
		return bytesOfSlice(want)
	}
	operands := map[string]*view.Tensor{"x": fromSlice(t, x), "v": fromSlice(t, v), "r": fromSlice(t, reals)}
	for text, want := range map[string][]byte{
		"searchsorted(sort(x), v)":               places(func(i int) complex128 { return v[i] }, 0),
		"searchsorted(sort(x), v, side='right')": places(func(i int) complex128 { return v[i] }, 1),
		"searchsorted(sort(x), r)":               places(func(i int) complex128 { return complex(reals[i], 0) }, 0),
		"searchsorted(sort(x), v[::-1])[::-1]":   places(func(i int) complex128 { return v[i] }, 0),
	} {
		for _, limit := range []int64{0, 1 << 20} {
			got, err := evaluate(t.Context(), text, operands, &compute.Options{Parallelism: 2, MemoryLimit: limit})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if !bytes.Equal(got.elements, want) {
				t.Errorf("%s, limit of %d bytes: not as expected", text, limit)
			}
		}
	}
}

// compareComplex compares real, then imaginary parts; NaNs come last: of imaginary parts, of real
// ones, of both.
func compareComplex(x, y complex128) int {
	nans := func(z complex128) (n int) {
		if math.IsNaN(imag(z)) {
			n++
		}
		if math.IsNaN(real(z)) {
			n += 2
		}
		return n
	}
	return cmp.Or(nans(x)-nans(y), cmp.Compare(real(x), real(y)), cmp.Compare(imag(x), imag(y)))
}

// TestTopIsSorted holds topk and argtopk, which do not sort, against what sorts.
func TestTopIsSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	x := make([]float32, 300_000)
	for i := range x {
		x[i] = float32(r.IntN(40_000)-20_000) / 8
	}
	operands := map[string]*view.Tensor{"x": fromSlice(t, x)}
	for _, text := range []string{
		"all(topk(x, 1000) == sort(x, descending=True)[:1000])",
		"all(topk(x, 1000, largest=False) == sort(x)[:1000])",
		"all(argtopk(x, 1000) == argsort(x, descending=True)[:1000])",
		"all(argtopk(x, 1000, largest=False) == argsort(x)[:1000])",
		"all(argtopk(x.astype(int16), 1000) == argsort(x.astype(int16), descending=True)[:1000])",
		"all(argtopk(x > 7, 200) == argsort(x > 7, descending=True)[:200])",
		"all(topk(x.astype(complex64), 30) == sort(x.astype(complex64), descending=True)[:30])",
		"all(argtopk(x.astype(complex64), 30) == argsort(x.astype(complex64), descending=True)[:30])",
		"all(argtopk(x * 0, 30) == arange(30))",
		"all(argtopk(where(x > 0, nan, x), 30) == argsort(where(x > 0, nan, x), descending=True)[:30])",
		"all(topk(x.reshape(3, 100000), 20, axis=0 - 1) == sort(x.reshape(3, 100000), descending=True)[:, :20])",
		"all(argtopk(x.reshape(1000, 300), 7) == argsort(x.reshape(1000, 300), descending=True)[:, :7])",
		"all(argtopk(x.reshape(300, 1000), 7, axis=0, largest=False) == argsort(x.reshape(300, 1000), axis=0)[:7])",
		"all(topk(x.reshape(1000, 300).astype(int64), 7) == sort(x.reshape(1000, 300).astype(int64), descending=True)[:, :7])",
	} {
		got, err := evaluate(t.Context(), text, operands, &compute.Options{Parallelism: 2})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !bytes.Equal(got.elements, []byte{1}) {
			t.Errorf("%s is not so", text)
		}
	}
}

// TestUniqueNarrowElements compares tables of bits with what the general way makes of the same
// elements in a wider type.
func TestUniqueNarrowElements(t *testing.T) {
	for _, text := range []string{
		"all(unique(n) == unique(w))", "all(unique_counts(n) == unique_counts(w))", "all(unique_inverse(n) == unique_inverse(w))",
		"all(unique(n)[unique_inverse(n)] == n)", "all(unique_inverse(n.T[::-2]) == unique_inverse(w.T[::-2]))",
	} {
		for narrow, wide := range map[dtype.Type]string{
			dtype.Bool: "int64", dtype.Int8: "int32", dtype.Uint8: "int64", dtype.Int16: "int64", dtype.Uint16: "uint32",
			dtype.Float16: "float64", dtype.BFloat16: "float32", dtype.Float8E5M2: "float32",
		} {
			n := tensor(t, random(t, narrow, 5, 100_002, 0, math.Copysign(0, -1), 1), narrow, tensortest.Layout{Shape: []int{3, 33_334}, Strides: []int{33_334, 1}, Span: 100_002})
			got, err := evaluate(t.Context(), "w = n.astype("+wide+"); "+text, map[string]*view.Tensor{"n": n}, &compute.Options{Parallelism: 3})
			if err != nil {
				t.Fatalf("%s of %v: %v", text, narrow, err)
			}
			if !bytes.Equal(got.elements, []byte{1}) {
				t.Errorf("%s of %v is not so", text, narrow)
			}
		}
	}
}
