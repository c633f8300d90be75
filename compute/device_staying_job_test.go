package compute_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
)

// A job whose passes keep elements on a device goes on without it, or begins without it and goes on
// there: its checkpoints are the same, and so are the bytes.
func TestKeptGoesOn(t *testing.T) {
	if compute.RaceEnabled {
		t.Skip("one goroutine interprets most of it")
	}
	c := productCase{"z = (x @ y).T*2 + x[0, 0]", in([]int{400, 3}, []int{3, 400})}
	env := c.operands(t, dtype.Float32)
	const limit = 2 << 20 // so that the last pass has several parts
	without := func() *compute.Options { return &compute.Options{MemoryLimit: limit} }
	want := newTarget(t, c.text, env, without())
	all := want.runFrom(t, compute.Checkpoint{}, -1)
	if len(all) < 3 {
		t.Fatalf("%d places, expected some within the last pass", len(all))
	}

	with := func() *compute.Options {
		return &compute.Options{Device: devicetest.New(&devicetest.Options{MemoryBytes: 64 << 20}), MemoryLimit: limit}
	}
	for name, engines := range map[string][2]func() *compute.Options{
		"on the device":    {with, with},
		"from the device":  {with, without},
		"on to the device": {without, with},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range all {
				if !*compute.Long && n != len(all)/2 {
					continue
				}
				part, rest := newTarget(t, c.text, env, engines[0]()), newTarget(t, c.text, env, engines[1]())
				places := part.runFrom(t, compute.Checkpoint{}, n+1)
				if diff := cmp.Diff(all[:n+1], places); diff != "" {
					t.Errorf("checkpoints: %s", diff)
				}
				rest.fill(t, part.bytes(t))
				rest.runFrom(t, places[n], -1)
				if err := compute.SameElements(dtype.Float32, rest.bytes(t), want.bytes(t)); err != nil {
					t.Errorf("from %+v on: %v", places[n], err)
				}
			}
		})
	}
}
