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

// TestRandomProgramsOnDevice computes random programs on a device and on the CPU.
func TestRandomProgramsOnDevice(t *testing.T) {
	seeds := uint64(400)
	if raceEnabled || !*Long {
		seeds = 15
	}
	for family := range propertyTypes {
		t.Run(family, func(t *testing.T) {
			t.Parallel()
			d := devicetest.New(&devicetest.Options{Seed: 1})
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
				for _, o := range []*Options{{Device: d}, {Device: d, Parallelism: 5, MemoryLimit: 1 << 20}} {
					got, err := p.compute(t, text, o, nil)
					if err == nil {
						err = sameElements(like.dtype, got, want)
					}
					if err != nil {
						t.Fatalf("seed %d: %s of %v on a device: %v", seed, text, p.shape, err)
					}
				}
			}
			if d.Stats().Launches == 0 {
				t.Error("nothing was launched")
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
