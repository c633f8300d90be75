package compute_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// TestCountsOfComputed checks that counting elements as they are computed gives what counting them
// in memory does.
func TestCountsOfComputed(t *testing.T) {
	t.Parallel()
	const rows, cols = 301, 523
	floats, whole := make([]float64, rows*cols), make([]int32, rows*cols)
	for i := range floats {
		floats[i], whole[i] = float64(i*7919%10_007)/100, int32(i*31%977)
	}
	operands := map[string]*view.Tensor{
		"a": array(t, floats, rows, cols), "b": array(t, floats, cols, rows), "i": array(t, whole, rows*cols), "s": array(t, floats[5:6]),
	}
	for _, x := range []string{
		"a * 2 + 1", "a + b.T", "b.T[::2, ::-1] / 3", "astype(a, float16) + 1", "astype(a, float32) * a.mean()", "a > 50",
		"astype(i, int8)", "i * 3", "arange(100_000) % 37", "a[:0] + 1", "s * 3", "float64(7)", "float64(0)", "where(a > 5, s, s)", "cumsum(a, axis=1)[3:, 1] + 1", "i.reshape(301, 523) + a",
	} {
		for _, count := range []string{"histogram(%s, 7)", "histogram(%s, 20, (-3, 40))", "histogram(%s, 3, (0, 7))", "histogram(%s, 1_100_000, (0, 300))", "histogram(%s, [-1, 0.5, 0.5, 9, 33.25])"} {
			if !*compute.Long && strings.Contains(count, "1_100_000") {
				continue
			}
			checkCounts(t, operands, x, count)
		}
	}
	for _, x := range []string{"i + 1", "i > 3", "abs(astype(i, int8)) % 100", "i[::-3] * 2", "arange(0) * 2"} {
		for _, count := range []string{"bincount(%s)", "bincount(%s, minlength=1_100_000)"} {
			checkCounts(t, operands, x, count)
		}
	}
}

func checkCounts(t *testing.T, operands map[string]*view.Tensor, x, count string) {
	t.Helper()
	stored, err := evaluate(t.Context(), x, operands, nil)
	if err != nil {
		t.Fatalf("%s: %v", x, err)
	}
	all := map[string]*view.Tensor{"x": packedTensor(t, stored)}
	want, err := evaluate(t.Context(), fmt.Sprintf(count, "x"), all, nil)
	if err != nil {
		t.Fatalf("%s of %s stored: %v", count, x, err)
	}
	for _, workers := range []int{1, 3} {
		got, err := evaluate(t.Context(), fmt.Sprintf(count, x), operands, &compute.Options{Parallelism: workers})
		if err != nil {
			t.Fatalf("%s of %s: %v", count, x, err)
		}
		if d := cmp.Diff(want.shape, got.shape); d != "" || string(want.elements) != string(got.elements) {
			t.Errorf("%s of %s by %d workers is not what counting stored elements gives", count, x, workers)
		}
	}
}

// packedTensor returns elements as a tensor.
func packedTensor(t *testing.T, e elements) *view.Tensor {
	t.Helper()
	if len(e.elements) == 0 {
		e.elements = make([]byte, 1) // of which none is an element
	}
	l, err := view.NewLayout(e.shape...)
	if err != nil {
		t.Fatal(err)
	}
	st := mmapstore.FromBytes(e.elements)
	x, err := view.NewTensor(st, e.dtype, l)
	if err := errors.Join(err, st.Release()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// TestCountsKeepNothing checks that counts of more elements than any memory holds keep none of
// them.
func TestCountsKeepNothing(t *testing.T) {
	for _, text := range []string{
		"histogram(arange(10 ** 12) * 0.5)", "histogram_bin_edges(arange(10 ** 12) * 0.5)", "histogram(arange(10 ** 12) % 3, 5, (0, 2))",
	} {
		explained := newPlan(t, text, names{}.env(), nil).String()
		last := explained[strings.LastIndex(explained, "predicted"):]
		if strings.Contains(explained, "keep int64 (1") || strings.Contains(explained, "keep float64 (1") || !strings.HasSuffix(last, "KiB\n") {
			t.Errorf("%s keeps elements:\n%s", text, explained)
		}
	}
}

// TestBincountOfNothing checks that counts of nothing are integers, also with weights, as NumPy's
// are.
func TestBincountOfNothing(t *testing.T) {
	got, err := evaluate(t.Context(), "bincount(arange(0), arange(0) * 0.5, minlength=2)", nil, nil)
	if err != nil || got.dtype != dtype.Int64 || len(got.elements) != 16 {
		t.Errorf("%v %v, %v", got.dtype, got.shape, err)
	}
}

// TestBincountPasses counts the walks over an expression: one tells the largest element, and so how
// many counts there are, and one counts.
func TestBincountPasses(t *testing.T) {
	data := make([]int64, 200_000)
	for i := range data {
		data[i] = int64(i % 1000)
	}
	walks := 0
	p := newPlan(t, "bincount(x + 1)", names{"x": array(t, data)}.env(), &compute.Options{Progress: func(p compute.Progress) {
		if p.Done == 0 {
			walks++
		}
	}})
	runPlan(t, p)
	if walks != 2 {
		t.Errorf("%d walks, want 2", walks)
	}
	if got := text(t, p.Result(0)); got != "[ 0 200 200 ... 200 200 200]" {
		t.Error(got)
	}
}

// TestBincountSharesATable counts values whose counts memory has room for once, and not for each
// worker.
func TestBincountSharesATable(t *testing.T) {
	values := make([]int32, 1<<18)
	for i := range values {
		values[i] = int32(i % 3 * 1_200_000)
	}
	counts, err := compute.Bincount(t.Context(), array(t, values), 0, &compute.Options{MemoryLimit: 64 << 20, Parallelism: 4})
	if err != nil {
		t.Fatal(err)
	}
	if len(counts) != 2_400_001 || counts[0] != 87382 || counts[1_200_000] != 87381 || counts[2_400_000] != 87381 {
		t.Errorf("%d counts: %d, %d, %d", len(counts), counts[0], counts[1_200_000], counts[2_400_000])
	}
}

// TestWeightsOfManyBins adds up weights in more bins than there are elements in a chunk, which
// others follow.
func TestWeightsOfManyBins(t *testing.T) {
	const n, bins = 200_000, 150_000
	x, weights, want := make([]float64, n), make([]float64, n), make([]float64, bins)
	for i := range x {
		x[i], weights[i] = float64(i*7919%bins), float64(i%5)-2
		want[i*7919%bins] += weights[i]
	}
	operands := map[string]*view.Tensor{"x": array(t, x), "w": array(t, weights)}
	got, err := evaluate(t.Context(), "histogram(x, 150_000, range=(0, 150_000), weights=w)", operands, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.values()); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
}

// TestCountsWithinTheMemoryLimit checks that more counts than the memory limit has room for are an
// error that says so.
func TestCountsWithinTheMemoryLimit(t *testing.T) {
	operands := map[string]*view.Tensor{"i": array(t, []int32{3, 1, 20_000_000})}
	o := &compute.Options{MemoryLimit: 16 << 20}
	for _, text := range []string{"bincount(i)", "bincount(i, minlength=20_000_000)", "bincount(i, i)", "histogram(i, 20_000_000)", "sum(bincount(i % 20_000_001))"} {
		_, err := evaluate(t.Context(), text, operands, o)
		if err == nil || !strings.Contains(err.Error(), "counts takes 305 MiB of memory, the limit is 64 MiB: raise the memory limit") {
			t.Errorf("%s: error %v", text, err)
		}
	}
	_, direct := compute.Bincount(t.Context(), operands["i"], 0, o)
	_, least := compute.Bincount(t.Context(), operands["i"], 20_000_001, o)
	_, _, bins := compute.Histogram(t.Context(), operands["i"], compute.Bins{Count: 20_000_001}, o)
	_, _, edges := compute.Histogram(t.Context(), operands["i"], compute.Bins{Edges: make([]float64, 20_000_001)}, o)
	for i, err := range []error{direct, least, bins, edges} {
		if err == nil || !strings.Contains(err.Error(), "a table of 20000001 counts takes 305 MiB of memory, the limit is 64 MiB: raise the memory limit") {
			t.Errorf("function %d: error %v", i, err)
		}
	}
	for _, text := range []string{"bincount(i % 1000)", "histogram(i, 1000)", "bincount(i[:2], minlength=1_100_000)"} {
		if _, err := evaluate(t.Context(), text, operands, o); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The cases are what numpy.histogram answers.
func TestHistogramOfEdges(t *testing.T) {
	operands := map[string]*view.Tensor{
		"x": array(t, []float64{0, 1, 2, 3, 9, math.NaN(), math.Inf(1)}), "i": array(t, []int32{3, -7, 2, 2}), "at": array(t, []float32{1, 2.5, 9}), "w": array(t, []int32{1, 10, 100, 1000}),
		"b": array(t, []bool{true, false, true}), "z": array(t, []complex64{1}),
	}
	for text, want := range map[string][]int64{
		"histogram(x, [1, 2, 9])":                           {1, 3},
		"histogram(x, [0.5])":                               nil,
		"histogram(x, at)":                                  {2, 2},
		"histogram(x, at*2 - 2)":                            {3, 2},
		"histogram(x, bins=[0, 1, inf])":                    {1, 5},
		"histogram(i, [-10, 2, 2, 3])":                      {1, 0, 3},
		"histogram(i, [-10, 0, 3], weights=w)":              {10, 1101},
		"histogram(b, [False, True])":                       {3},
		"histogram(b, [0, 1, 2])":                           {1, 2},
		"histogram(x[:0], [1, 2])":                          {0},
		"histogram(x, [1, 2]) - histogram(x, 1, (1, 2))":    {0},
		"histogram(x, [1, 2, 9]) - histogram(x, [1, 3, 9])": {-1, 1},
		"histogram_bin_edges(x, [1, 2, 9])":                 {1, 2, 9},
	} {
		got, err := evaluate(t.Context(), text, operands, nil)
		if want == nil {
			if err == nil || !strings.Contains(err.Error(), "1 edges: expected at least 2") {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var counts []int64
		for i := range got.shape[0] {
			n := got.elements[i*got.dtype.Size():]
			counts = append(counts, int64(dtype.Load(got.dtype, n).Float64()))
		}
		if !slices.Equal(counts, want) {
			t.Errorf("%s: got %v, want %v", text, counts, want)
		}
	}
	for text, want := range map[string]string{
		"histogram(x, [2, 1])":               "expected them to ascend",
		"histogram(x, [1, nan])":             "expected them to ascend",
		"histogram(x, [[1, 2]])":             "bins of shape (1, 2): expected one axis, of edges",
		"histogram(x, [1, 2], range=(0, 1))": "a range beside the edges of bins",
		"histogram(x, z)":                    "found complex64",
		"histogram(x, [])":                   "0 edges: expected at least 2",
		"at[0] = 5.0; c = histogram(x, at)":  "this is read while the program is planned",
	} {
		if _, err := evaluate(t.Context(), text, operands, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
