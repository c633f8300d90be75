package ptx_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/ptx"
)

// TestKey checks that programs with one key have one text.
func TestKey(t *testing.T) {
	texts := map[string]string{}
	for i := range 300 {
		r := rand.New(rand.NewPCG(*seed, uint64(i%100)))
		p := generator().Program(r)
		p.Ops = p.Ops[:1]
		p.Outputs = []int{len(p.Inputs) + len(p.Scalars)}
		layouts := &ptx.Layouts{Inputs: make([]ptx.Layout, len(p.Inputs)), Rank: 1 + r.IntN(2)}
		for k := range layouts.Inputs {
			layouts.Inputs[k] = ptx.Layout(i / 100)
		}
		k, err := ptx.Compile(p, layouts)
		if err != nil {
			continue
		}
		key := ptx.Key(p, layouts)
		if text, ok := texts[key]; ok && text != k.Text {
			t.Errorf("one key of two texts:\n%s\n%s", text, k.Text)
		}
		texts[key] = k.Text
	}
	if len(texts) < 200 {
		t.Errorf("%d keys of 300 programs", len(texts))
	}
}
