package compute_test

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

var moveNames = flag.String("move", "mean,max", "moving functions that BenchmarkMove takes, with commas between them")

// BenchmarkMove compares moving windows along rows and along columns with a copy of the same
// elements, in turns: a metric is the best time over that of the copy.
func BenchmarkMove(b *testing.B) {
	for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64} {
		x := benchTensor(b, dt)
		rows := 4096
		cols := x.NumElems() / rows
		for _, axis := range []int{0, 1} {
			b.Run(fmt.Sprintf("%v/256MiB/axis=%d", dt, axis), func(b *testing.B) {
				benchMoves(b, x, []int{rows, cols}, axis)
			})
		}
	}
}

func benchMoves(b *testing.B, x *view.Tensor, shape []int, axis int) {
	m, err := x.Reshape(shape...)
	if err != nil {
		b.Fatal(err)
	}
	c := tensor(b, tensortest.Buffer(int(x.NumBytes()), 0), x.DType(), tensortest.Layout{Shape: shape, Strides: m.Layout().Strides()})
	texts := []string{"c = a"}
	for _, name := range strings.Split(*moveNames, ",") {
		for _, width := range []int{3, 20, 64, 200, 1000} {
			if name != "median" || width <= 64 {
				texts = append(texts, fmt.Sprintf("c = move_%s(a, %d, axis=%d)", name, width, axis))
			}
		}
	}
	env := names{"a": m, "c": c}.env("c")
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
		b.Logf("%-34s %8.1f ms, %5.2f times the copy", text, best[text].Seconds()*1e3, float64(best[text])/float64(best["c = a"]))
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
