package compute_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

const (
	// longest is how long a stop of the world may take, and the end of a cancelled evaluation.
	longest = 100 * time.Millisecond
	// tries are how often that is measured before a time counts as too long: other programs take
	// processors away.
	tries = 10
)

// largeOperands are tensors that take an evaluation a while.
func largeOperands(t *testing.T) compute.Env {
	t.Helper()
	const n = 1 << 24
	l := tensortest.Layout{Shape: []int{n}, Strides: []int{1}, Span: n}
	operands := map[string]*view.Tensor{}
	for _, name := range []string{"a", "b"} {
		operands[name] = tensor(t, tensortest.Buffer(4*n, 0), dtype.Float32, l)
	}
	return compute.Env{Lookup: func(name string) (*view.Tensor, error) { return operands[name], nil }}
}

// checkSoon fails if every try takes too long.
func checkSoon(t *testing.T, what string, try func() time.Duration) {
	t.Helper()
	best := try()
	for n := 1; n < tries && best > longest; n++ {
		best = min(best, try())
	}
	t.Logf("%s took %v", what, best)
	if best > longest {
		t.Errorf("%s took %v at best, want less than %v", what, best, longest)
	}
}

// A program that is at work in assembly most of the time must not keep the garbage collector
// waiting.
func TestStopsTheWorldSoon(t *testing.T) {
	if testing.Short() {
		t.Skip("computes for a while")
	}
	env := largeOperands(t)
	for _, text := range []string{"sqrt(a*a + b*b) + exp(a)", "sum(exp(a) * b)", "a[::-1]*2 + b", "a.reshape(4096, 4096) @ b.reshape(4096, 4096)"} {
		t.Run(text, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- computeUntil(ctx, text, env) }()
			checkSoon(t, "the longest call of ReadMemStats", longestStop)
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("the evaluation ended with %v", err)
			}
		})
	}
}

// longestStop stops the world again and again for a while, and returns the longest time that took.
func longestStop() time.Duration {
	worst := time.Duration(0)
	for start := time.Now(); time.Since(start) < 200*time.Millisecond; {
		var stats runtime.MemStats
		before := time.Now()
		runtime.ReadMemStats(&stats)
		worst = max(worst, time.Since(before))
		time.Sleep(time.Millisecond)
	}
	return worst
}

// computeUntil computes again and again until ctx is cancelled.
func computeUntil(ctx context.Context, text string, env compute.Env) error {
	e, err := compute.Parse(text)
	if err != nil {
		return err
	}
	for {
		result, err := e.Eval(ctx, env, nil)
		if err != nil {
			return err
		}
		if err := result.Close(); err != nil {
			return err
		}
	}
}

// An evaluation that is cancelled ends soon, with the error of its context.
func TestCancelledSoon(t *testing.T) {
	env := largeOperands(t)
	tests := []struct {
		name, text string
		wait       time.Duration
	}{
		{"before it starts", "a + b", 0},
		{"element-wise", "sqrt(exp(a)*a + b*b)/(a + 2)", 5 * time.Millisecond},
		{"slow functions", "arctan2(tanh(exp(sin(a))), log1p(exp(b)) + 1)**b + erf(cos(a) + 1)", 5 * time.Millisecond},
		{"a reduction of slow functions", "sum(arctan2(a, b + 1)**b + erf(cos(a) + 1))", 5 * time.Millisecond},
		{"a reduction", "sum(sqrt(exp(a)*a + b*b)/(a + 2))", 5 * time.Millisecond},
		{"a running sum of columns", "cumsum(a.reshape(4096, 4096), axis=0)", 5 * time.Millisecond},
		{"a product of matrices", "a.reshape(4096, 4096) @ b.reshape(4096, 4096).T", 50 * time.Millisecond},
		{"a product of integers", "a.view(int64).reshape(2048, 4096) @ b.view(int64).reshape(4096, 2048)", 50 * time.Millisecond},
		{"moved to other places", "a.roll(5)", 2 * time.Millisecond},
		{"picked by indexes", "a[arange(16777216) ^ 21845]", 50 * time.Millisecond},
		{"columns picked by indexes", "a.reshape(4096, 4096)[:, arange(4096)[::-1]]", 5 * time.Millisecond},
		{"repeated as a whole", "tile(a, 4)", 2 * time.Millisecond},
		{"each repeated", "repeat(a, 4)", 2 * time.Millisecond},
		{"put together", "concatenate([a, b + 1, a])", 2 * time.Millisecond},
		{"sums of what is put together", "sum(stack([exp(a), sqrt(exp(b)*a)], axis=1))", 2 * time.Millisecond},
		{"interpolated", "interp(a, arange(1000), arange(1000))", 5 * time.Millisecond},
		{"a decomposition", "svdvals(sin(arange(160000)**2).reshape(400, 400))", 5 * time.Millisecond},
		{"over an axis", "sum(exp(a.reshape(4096, 4096))*b.reshape(4096, 4096), axis=0)", 5 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := compute.Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			checkSoon(t, "ending", func() time.Duration {
				ctx, cancel := context.WithCancel(t.Context())
				cancelled := make(chan time.Time, 1)
				if test.wait == 0 {
					cancelled <- time.Now()
					cancel()
				} else {
					time.AfterFunc(test.wait, func() {
						cancelled <- time.Now()
						cancel()
					})
				}
				result, err := e.Eval(ctx, env, nil)
				if err == nil { // the timer came late: this try tells nothing
					result.Close()
					return time.Hour
				}
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
				return time.Since(<-cancelled)
			})
		})
	}
}
