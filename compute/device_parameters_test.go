package compute

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
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

// A program whose operands on the device need more parameters than a GPU takes, by their strides, is
// an error of the plan, which nothing was computed for.
func TestManyStrides(t *testing.T) {
	p := newOperands(t, dtype.Float32, 310, 9)
	d := devicetest.New(nil)
	q, end := p.moved(t, d, "b")
	var texts []string
	for i := range 300 {
		texts = append(texts, fmt.Sprintf("b[%d:%d, ::2]", i, i+5))
	}
	for _, text := range []string{strings.Join(texts, " + "), "max(" + strings.Join(texts, " + ") + ")"} {
		stmts, err := ParseProgram(text)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := NewPlan(t.Context(), stmts, q.env(), &Options{Device: d})
		if !errors.Is(err, mmapstore.ErrPlace) || !strings.Contains(err.Error(), "parameters") {
			t.Errorf("got %v, want ErrPlace", err)
		}
		if err == nil {
			t.Error(plan.Close())
		}
	}
	end()
	finish(t, d)
}
