package compute_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/view"
)

// BenchmarkOrder times order statistics of 64 Mi float32 elements, beside their sum, which is as
// fast as they are read.
func BenchmarkOrder(b *testing.B) {
	const n = 64 << 20
	r := rand.New(rand.NewPCG(1, 2))
	elems := make([]float32, n)
	for i := range elems {
		elems[i] = r.Float32()
	}
	x, err := view.FromSlice(elems, n)
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	for _, text := range []string{"sum(x)", "positive(x)", "median(x)", "quantile(x, [0.01, 0.5, 0.99])", "sort(x)", "argsort(x)", "move_mean(x, 20)", "move_max(x, 100)"} {
		b.Run(text, func(b *testing.B) {
			b.SetBytes(4 * n)
			for b.Loop() {
				if _, err := evaluate(b.Context(), text, map[string]*view.Tensor{"x": x}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
