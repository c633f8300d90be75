package compute_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// TestTilesOfFiles computes what crosses the order of files with less memory than it takes, as a
// whole and from each place on: with the same elements.
func TestTilesOfFiles(t *testing.T) {
	for name, c := range map[string]struct {
		shape []int
		text  string
	}{
		"transposed": {[]int{700, 900}, "c = x.T.copy()"},
		"backwards":  {[]int{900, 1400}, "c = x[::-1, ::-2].T.copy()"},
		"both":       {[]int{800, 800}, "c = x + x.T"},
		"three axes": {[]int{60, 70, 150}, "c = x.T * 2"},
		"two of":     {[]int{200, 200, 16}, "c = x.permute((1, 0, 2)).copy()"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := view.NewLayout(c.shape...)
			if err != nil {
				t.Fatal(err)
			}
			x := inFile(t, "x", dtype.Float32, l)
			if err := view.Copy(t.Context(), x, randomMatrix(t, 7, dtype.Float32, c.shape...)); err != nil {
				t.Fatal(err)
			}
			env := compute.Env{Lookup: func(string) (*view.Tensor, error) { return x, nil }}
			want := newTarget(t, c.text, env, nil)
			if err := want.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			few := compute.Options{MemoryLimit: 1 << 20}
			got := newTarget(t, c.text, env, &few)
			if err := got.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.bytes(t), want.bytes(t)) {
				t.Error("other elements in tiles than at once")
			}
			goesOn(t, c.text, env, few, rand.New(rand.NewPCG(5, 5)))
		})
	}
}
