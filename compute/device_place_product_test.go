package compute_test

import (
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// computeOn is compute with operands of some names on a device.
func (c *productCase) computeOn(t *testing.T, dt dtype.Type, names string, o *compute.Options) (all [][]byte, err error) {
	t.Helper()
	stmts, err := compute.ParseProgram(c.text)
	if err != nil {
		t.Fatal(err)
	}
	d := o.Device.(*devicetest.Device)
	env, moved := c.operands(t, dt), map[string]*view.Tensor{}
	for name := range c.shapes {
		x, err := env.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if moved[name] = x; strings.Contains(names, name) {
			moved[name] = compute.OnDevice(t, d, x, 32)
			defer moved[name].Close()
		}
	}
	lookup := func(name string) (*view.Tensor, error) { return moved[name], nil }
	p, err := compute.NewPlan(t.Context(), stmts, compute.Env{Lookup: lookup, InPlace: lookup}, o)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := p.Run(t.Context()); err != nil {
		return nil, err
	}
	for i, out := range p.Outputs() {
		if !out.Replaced {
			all = append(all, bytesOf(t, p.Result(i)))
		}
	}
	return all, nil
}

// Products of matrices on a device, in all types and forms, have the bits of the CPU.
func TestProductsOfOperandsOnDevice(t *testing.T) {
	cases := append(append([]productCase{}, edgeCases...), formCases...)
	if compute.RaceEnabled {
		cases = cases[8:]
	}
	for i, dt := range dtype.All() {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			for n, c := range cases {
				if !*compute.Long && n%6 != i%6 {
					continue
				}
				types, want, err := c.compute(t, dt, nil)
				if err != nil {
					t.Fatal(err)
				}
				for k, names := range []string{"xy", "x", "y"} {
					if !*compute.Long && k > 0 && k != 1+n%2 {
						continue
					}
					d := devicetest.New(&devicetest.Options{Seed: uint64(n), MemoryBytes: []int64{64 << 20, 4 << 20}[k%2]})
					got, err := c.computeOn(t, dt, names, &compute.Options{Device: d, Parallelism: 1 + n%4, CheckDevice: float64(n % 2)})
					if err != nil {
						t.Fatalf("%s of %v %v, %s on the device: %v", c.text, dt, c.shapes, names, err)
					}
					for j := range want {
						if err := compute.SameElements(types[j], got[j], want[j]); err != nil {
							t.Errorf("%s of %v %v, %s on the device, statement %d: %v", c.text, dt, c.shapes, names, j+1, err)
						}
					}
					compute.Finish(t, d)
				}
			}
		})
	}
}
