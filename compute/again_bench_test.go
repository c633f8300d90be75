package compute_test

import (
	"testing"

	"github.com/tstore/tstore/compute"
)

// BenchmarkRunAgain runs a plan over few elements again, which leaves what a run costs beside the
// elements.
func BenchmarkRunAgain(b *testing.B) {
	const n = 10_000
	a, c := make([]float32, n), make([]float32, n)
	for i := range a {
		a[i] = float32(i)
	}
	env := names{"a": fromSlice(b, a), "b": fromSlice(b, a), "c": fromSlice(b, c)}.env("c")
	stmts, err := compute.ParseProgram("c = sqrt(a*a + b*b)")
	if err != nil {
		b.Fatal(err)
	}
	p, err := compute.NewPlan(b.Context(), stmts, env, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Run(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
