package compute_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// TestMovingManyElements moves windows over lanes that are cut into blocks.
func TestMovingManyElements(t *testing.T) {
	const n = 30_000
	x := make([]int64, 4*n)
	for i := range x {
		x[i] = int64(i * 7919 % 1000)
	}
	flat := fromSlice(t, x)
	m, err := flat.Reshape(4, n)
	if err != nil {
		t.Fatal(err)
	}
	operands := map[string]*view.Tensor{"x": m}
	for _, width := range []int{1, 2, 100, 4096, 9001} {
		for _, text := range []string{
			"all(move_sum(x, %[1]d)[:, %[1]d:] == cumsum(x, axis=1)[:, %[1]d:] - cumsum(x, axis=1)[:, :-%[1]d])",
			"all(move_max(x.T, %[1]d, axis=0).T[:, %[1]d-1:] == -move_min(-x, %[1]d)[:, %[1]d-1:])",
			"all(isnan(move_mean(x, %[1]d)[:, :%[1]d-1]))",
			"max(abs(move_std(x, %[1]d)[0, -1] - std(x[0, -%[1]d:]))) < 1e-9",
		} {
			text := fmt.Sprintf(text, width)
			for _, workers := range []int{1, 3} {
				got, err := evaluate(t.Context(), text, operands, &compute.Options{Parallelism: workers})
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if !bytes.Equal(got.elements, []byte{1}) {
					t.Errorf("%s is not so", text)
				}
			}
		}
	}
	got, err := evaluate(t.Context(), "move_median(x, 5001)[2, -1] - median(x[2, -5001:])", operands, nil)
	if err != nil || dtype.Load(got.dtype, got.elements).Float64() != 0 {
		t.Errorf("the last moving median: %v, error %v", got, err)
	}
}

// TestFewerWorkers computes what the memory limit has room for with one worker or two: more of them
// change nothing.
func TestFewerWorkers(t *testing.T) {
	operands := map[string]*view.Tensor{"x": fromSlice(t, make([]float32, 100_000))}
	for text, limit := range map[string]int64{
		"move_sum(x, 20000)": 5 << 20, "move_median(x, 2000)": 4 << 20, "convolve(x, x[:20000], 'same', method='fft')": 12 << 20,
		"convolve(x, x[:3000], 'same', method='direct')": 8 << 20, "sort(x)": 4 << 20, "median(x.reshape(100, -1), axis=1)": 2 << 20, "x[argsort(x)]": 4 << 20,
		"knn(x[:60000].reshape(-1, 100), x.reshape(-1, 100), 2)": 4 << 20,
	} {
		want, counts := "", []int{1, 2, 4, 64}
		if !*compute.Long {
			counts = []int{1, 64}
		}
		for _, workers := range counts {
			got, err := evaluate(t.Context(), text, operands, &compute.Options{MemoryLimit: limit, Parallelism: workers})
			if err != nil {
				t.Fatalf("%s: %d workers: %v", text, workers, err)
			}
			if want == "" {
				want = string(got.elements)
			}
			if string(got.elements) != want {
				t.Errorf("%s: %d workers make other elements", text, workers)
			}
		}
	}
}

func TestMovingNeedsMemory(t *testing.T) {
	x := fromSlice(t, make([]float32, 1<<20))
	_, err := evaluate(t.Context(), "move_max(x, 1000000)", map[string]*view.Tensor{"x": x}, &compute.Options{MemoryLimit: 1 << 20})
	if err == nil {
		t.Error("windows that the memory limit does not allow")
	}
}
