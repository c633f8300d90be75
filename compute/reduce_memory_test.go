package compute_test

import (
	"runtime"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

// TestReduceMakesNoGarbage reduces few rows of many columns, chunk by chunk: what is allocated for
// each chunk is no more than the results, so that the heap does not grow beyond what is in use.
func TestReduceMakesNoGarbage(t *testing.T) {
	allocated := func(text string, cols int) int {
		x := tensor(t, tensortest.Buffer(2*cols*4, 1), dtype.Float32, tensortest.Layout{Shape: []int{2, cols}, Strides: []int{cols, 1}, Span: 2 * cols})
		e, err := compute.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		env := compute.Env{Lookup: func(string) (*view.Tensor, error) { return x, nil }}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result, err := e.Eval(t.Context(), env, &compute.Options{Parallelism: 1})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if err := result.Close(); err != nil {
			t.Fatal(err)
		}
		return int(after.TotalAlloc - before.TotalAlloc)
	}
	const few, many = 1 << 18, 3 << 18
	for _, text := range []string{"std(x, axis=0)", "var(x, axis=0)", "mean(x, axis=0)", "sum(x, axis=0)", "logsumexp(x, axis=0)"} {
		results, more := 4*(many-few), allocated(text, many)-allocated(text, few)
		if more > results+results/4 {
			t.Errorf("%s of %d more columns allocates %d bytes more, the results are %d", text, many-few, more, results)
		}
	}
}
