package reduce_test

import (
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// TestBits checks that results are the same bits on every processor: those written down here.
func TestBits(t *testing.T) {
	const want = 0xed4412e46bb7a722
	r := rand.New(rand.NewPCG(77, 0))
	h := fnv.New64a()
	for _, typ := range []dtype.Type{dtype.Float32, dtype.Float64, dtype.Float16, dtype.Int32, dtype.Complex64} {
		for _, shape := range [][]int{{50_021}, {123, 457}, {3001, 17}} {
			o := newOperand(r, typ, packed(shape...), false)
			for _, axes := range subsets(len(shape)) {
				s, results := o.spec(axes, meaning(typ), 1)
				if err := run(s, 2); err != nil {
					t.Fatal(err)
				}
				for i, b := range results {
					if s.Reductions[i].Op != reduce.Var && s.Reductions[i].Op != reduce.Std || len(axes) > 0 {
						h.Write(b) // the variance of one element with ddof 1 is NaN, of any bits
					}
				}
			}
		}
	}
	if got := h.Sum64(); got != want {
		t.Errorf("results have the hash %#x, want %#x", got, uint64(want))
	}
}
