package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tstore/tstore/compute/internal/plan"
)

// Regular chunks are boxes that hold each element once: the places of their elements follow from
// the first one, and from how many indexes there are of each axis.
func TestRegularChunks(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		shape := make([]int, 1+rng.IntN(5))
		strides, step := make([]int, len(shape)), 1
		for axis := len(shape) - 1; axis >= 0; axis-- {
			shape[axis] = 1 + rng.IntN(7)
			strides[axis] = step
			step = step*shape[axis] + 1
		}
		nest := plan.New(shape, []plan.Operand{{Strides: strides, ElemSize: 1}}, -1)
		elems, axes := 1+rng.IntN(40), 2+rng.IntN(4)
		c := nest.Chunks(elems, elems, elems)
		c.Regular(axes)

		var got []int
		for chunk := range c.Len() {
			var b plan.Box
			c.First(chunk, &b)
			places := []int{b.At[0]}
			dims := c.Dims(chunk, &b)
			if len(dims) > axes {
				t.Fatalf("seed %d: %d axes, want at most %d", seed, len(dims), axes)
			}
			for i, n := range dims {
				stride := nest.Strides[0][len(nest.Sizes)-len(dims)+i]
				var next []int
				for _, at := range places {
					for k := range n {
						next = append(next, at+k*stride)
					}
				}
				places = next
			}
			got = append(got, places...)
		}
		want := []int{0}
		for axis, n := range shape {
			var next []int
			for _, at := range want {
				for k := range n {
					next = append(next, at+k*strides[axis])
				}
			}
			want = next
		}
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Fatalf("seed %d: shape %v in chunks of %d elements: places %v, want %v", seed, shape, elems, got, want)
		}
	}
}
