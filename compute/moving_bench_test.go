package compute_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
)

// BenchmarkMove compares moving windows with a copy of the same elements, in turns: a metric is the best time over that of
// the copy.
func BenchmarkMove(b *testing.B) {
	texts := []string{"c = a"}
	for _, name := range []string{"max", "mean", "std"} {
		for _, width := range []int{3, 20, 100, 3000} {
			if name == "median" && width > 100 {
				continue
			}
			texts = append(texts, fmt.Sprintf("c = move_%s(a, %d)", name, width))
		}
	}
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64} {
		b.Run(dt.String()+"/256MiB", func(b *testing.B) {
			x := benchTensor(b, dt)
			c := tensor(b, tensortest.Buffer(256<<20, 0), dt, tensortest.Layout{Shape: x.Shape(), Strides: []int{1}})
			env := names{"a": x, "c": c}.env("c")
			best := map[string]time.Duration{}
			for b.Loop() {
				for _, text := range texts {
					d := runTime(b, text, env)
					if old, ok := best[text]; !ok || d < old {
						best[text] = d
					}
				}
			}
			for _, text := range texts {
				b.Logf("%-30s %8.1f ms, %5.2f times the copy", text, best[text].Seconds()*1e3, float64(best[text])/float64(best["c = a"]))
			}
		})
	}
}

// runTime computes a program once.
func runTime(b *testing.B, text string, env compute.Env) time.Duration {
	stmts, err := compute.ParseProgram(text)
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	p, err := compute.NewPlan(b.Context(), stmts, env, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := errors.Join(p.Run(b.Context()), p.Close()); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}
