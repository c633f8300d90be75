package compute_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
)

// TestProductOnDeviceExplained looks at what a plan says of products with a device.
func TestProductOnDeviceExplained(t *testing.T) {
	d := devicetest.New(nil)
	for _, k := range []int{3, 0} {
		c := productCase{"x @ y", in([]int{4, k}, []int{k, 5})}
		p := newTarget(t, "z = x @ y", c.operands(t, dtype.Float16), &compute.Options{Device: d})
		want := "products in float32, sums in runs of 384, GPU code for gpu:0, tiles of 128 × 128 a block"
		if text := p.String(); strings.Contains(text, want) != (k > 0) {
			t.Errorf("%d steps: got %s", k, text)
		}
	}
}

// TestProductGoesOn runs a part of a product on one engine and the rest on another, or with other
// tiles: the bytes are those of a run as a whole.
func TestProductGoesOn(t *testing.T) {
	c := productCase{"z = x @ y", in([]int{2100, 3}, []int{3, 20})}
	env := c.operands(t, dtype.Float32)
	want := newTarget(t, c.text, env, nil)
	if err := want.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	engines := []func() *compute.Options{
		func() *compute.Options { return nil },
		func() *compute.Options {
			return &compute.Options{Device: devicetest.New(&devicetest.Options{MemoryBytes: 300 << 10})}
		},
		func() *compute.Options {
			return &compute.Options{Device: devicetest.New(&devicetest.Options{MemoryBytes: 1 << 20}), Parallelism: 7}
		},
	}
	for i := range engines {
		for k := range engines {
			t.Run(fmt.Sprintf("%d then %d", i, k), func(t *testing.T) {
				first := newTarget(t, c.text, env, engines[i]())
				places := first.runFrom(t, compute.Checkpoint{}, -1)
				for n := range places {
					if compute.RaceEnabled && n%4 > 0 {
						continue
					}
					part, rest := newTarget(t, c.text, env, engines[i]()), newTarget(t, c.text, env, engines[k]())
					at := part.runFrom(t, compute.Checkpoint{}, n+1)[n]
					rest.fill(t, part.bytes(t))
					more := rest.runFrom(t, at, -1)
					if i == 1 && k > 0 && len(more) != len(places)-n-1 {
						t.Errorf("from %+v on: %d more places, of %d", at, len(more), len(places))
					}
					if err := compute.SameElements(dtype.Float32, rest.bytes(t), want.bytes(t)); err != nil {
						t.Errorf("from %+v on: %v", at, err)
					}
				}
				if i == 1 && len(places) < 3 {
					t.Errorf("%d places, expected some within the product", len(places))
				}
			})
		}
	}
}
