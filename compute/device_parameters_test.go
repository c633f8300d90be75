package compute

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
)

// Passes with more operands and constants than a GPU takes are the CPU's.
func TestManyParameters(t *testing.T) {
	var stores, sums, constants strings.Builder
	for i := range 300 {
		fmt.Fprintf(&stores, "a*%d + b; ", i+2)
		fmt.Fprintf(&sums, "sum(a*%d); ", i+2)
	}
	for i := range 600 {
		fmt.Fprintf(&constants, "a*%d + ", i+2)
	}
	for name, text := range map[string]string{"stores": stores.String() + "a - b", "sums": sums.String() + "max(a)", "constants": constants.String() + "b"} {
		t.Run(name, func(t *testing.T) {
			p := newOperands(t, dtype.Float32, 5, 60)
			made, want, err := p.run(t.Context(), text, nil)
			if err != nil {
				t.Fatal(err)
			}
			d := devicetest.New(nil)
			for _, o := range []*Options{{Device: d}, {Device: d, DeviceRates: ratesOf(fast)}} {
				if p.tune = nil; o.DeviceRates != nil {
					p.tune = alert(1)
				}
				_, got, err := p.run(t.Context(), text, o)
				if err == nil {
					err = sameElements(made, got, want)
				}
				if err != nil {
					t.Error(err)
				}
			}
			finish(t, d)
		})
	}
}
