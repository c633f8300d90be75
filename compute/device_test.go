package compute

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/internal/offload"
	"github.com/tstore/tstore/dtype"
)

// sameElements says where two results differ: all NaNs are one.
func sameElements(dt dtype.Type, got, want []byte) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d bytes, want %d", len(got), len(want))
	}
	size := dt.Size()
	for at := 0; at < len(got); at += size {
		g, w := got[at:][:size], want[at:][:size]
		if !offload.SameElement(dt, g, w) {
			return fmt.Errorf("element %d: %v, want %v", at/size, dtype.Load(dt, g), dtype.Load(dt, w))
		}
	}
	return nil
}

// Programs that a device computes have the bits of the CPU.
func TestRandomProgramsOnDevice(t *testing.T) {
	seeds := uint64(400)
	if raceEnabled || !*Long {
		seeds = 15
	}
	randomPrograms(t, seeds, Options{}, nil)
}

// randomPrograms computes random programs on a device and on the CPU, with much memory and with
// little. tune, if it is not nil, changes the plans of a seed that have the device.
func randomPrograms(t *testing.T, seeds uint64, o Options, tune func(seed uint64) func(*Plan)) {
	for family := range propertyTypes {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			d := devicetest.New(&devicetest.Options{Seed: 1})
			much, little := o, o
			much.Device, little.Device = d, d
			little.Parallelism, little.MemoryLimit = 5, 1<<20
			for seed := range seeds {
				p := newRandomProgram(t, seed, family)
				text := p.program()
				var like sampled
				want, err := p.compute(t, text, nil, &like)
				if bad := (*ExprError)(nil); errors.As(err, &bad) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}

				if tune != nil {
					p.tune = tune(seed)
				}
				for _, o := range []*Options{&much, &little} {
					got, err := p.compute(t, text, o, nil)
					if err == nil {
						err = sameElements(like.dtype, got, want)
					}
					if err != nil {
						t.Fatalf("seed %d: %s of %v: %v", seed, text, p.shape, err)
					}
				}
			}
			if d.Stats().Launches == 0 {
				t.Error("nothing was launched")
			}
			finish(t, d)
		})
	}
}
