package compute_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// TestRunAgain runs plans over few elements again and again while elements change, also those that
// stand for a whole axis.
func TestRunAgain(t *testing.T) {
	for _, text := range []string{"c = sqrt(a*a + b*b)", "c = (a + s)*b - s/2", "c = a*s", "c[::2] = a[::2] + s*3", "c = where(a > s, a, b) + arange(900)", "c = s*2"} {
		for _, backend := range []compute.Backend{compute.BackendAuto, compute.BackendKernels, compute.BackendMachineCode} {
			t.Run(fmt.Sprint(text, " ", backend), func(t *testing.T) { runAgain(t, text, backend) })
		}
	}
}

func runAgain(t *testing.T, text string, backend compute.Backend) {
	const n = 900
	a, b, s, c := make([]float32, n), make([]float32, n), make([]float32, 1), make([]float32, n)
	scalar, err := view.FromSlice(s)
	if err != nil {
		t.Fatal(err)
	}
	operands := names{"a": fromSlice(t, a), "b": fromSlice(t, b), "s": scalar, "c": fromSlice(t, c)}
	plan := func() *compute.Plan {
		stmts, err := compute.ParseProgram(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := compute.NewPlan(t.Context(), stmts, operands.env("c"), &compute.Options{Backend: backend})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return p
	}
	kept := plan()
	for run := range 5 {
		for i := range n {
			a[i], b[i] = float32(i+run), float32(i*run)
		}
		s[0] = float32(100 * run)
		fresh := plan()
		if err := fresh.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := bytesOf(t, operands["c"])
		clear(c)
		if err := kept.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, operands["c"]), want) {
			t.Fatalf("run %d: other elements than those of a new plan", run+1)
		}
	}
}

// TestRunAgainElsewhere runs a plan again with another destination, and in a context that has
// ended.
func TestRunAgainElsewhere(t *testing.T) {
	a := fromSlice(t, []float32{1, 2, 3})
	stmts, err := compute.ParseProgram("a + 1")
	if err != nil {
		t.Fatal(err)
	}
	p, err := compute.NewPlan(t.Context(), stmts, names{"a": a}.env(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	first, second := fromSlice(t, make([]float32, 3)), fromSlice(t, make([]float32, 3))
	for _, dst := range []*view.Tensor{first, first, first, second, second, first} {
		if err := errors.Join(view.Fill(t.Context(), dst, dtype.ScalarOf(float32(0))), p.SetDst(0, dst), p.Run(t.Context())); err != nil {
			t.Fatal(err)
		}
		if got := bytesOf(t, dst); !bytes.Equal(got, bytesOf(t, fromSlice(t, []float32{2, 3, 4}))) {
			t.Fatalf("got %x", got)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Run(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("in a context that has ended: %v", err)
	}
}
