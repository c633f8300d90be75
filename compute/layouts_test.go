package compute_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

// TestSameBitsInAnyLayout checks that what adds up, multiplies or compares many elements gives the
// same bits however they lie: those of the same elements in C order, for other numbers of workers
// and by either backend.
func TestSameBitsInAnyLayout(t *testing.T) {
	t.Parallel()
	const seed = 4
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	shapes := [][]int{{90, 700}, {3, 21_000}, {35_000, 2}, {4, 60, 91}, {14, 3, 40, 5}}
	if !*compute.Long {
		shapes = [][]int{{9, 700}, {14, 3, 40, 5}}
	}
	for _, shape := range shapes {
		for _, dt := range []dtype.Type{dtype.Float32, dtype.Float64} {
			c := tensortest.Layout{Shape: shape, Strides: make([]int, len(shape)), Span: 1}
			for axis := len(shape) - 1; axis >= 0; axis-- {
				c.Strides[axis] = c.Span
				c.Span *= shape[axis]
			}
			elems := random(t, dt, rng.Uint64(), c.Span, 1e30, -1e30, 1e-30, 3e10)
			l := anyOrder(rng, shape)
			spread := tensortest.Buffer(l.Span*dt.Size(), l.Skew)
			for i, p := range l.Positions() {
				copy(spread[p*dt.Size():], elems[i*dt.Size():][:dt.Size()])
			}
			inC, other := tensor(t, elems, dt, c), tensor(t, spread, dt, l)
			for _, text := range []string{
				"sum(a)", "sum(a, axis=0)", "sum(a, axis=-1)", "sum(a, axis=(0, -1))", "mean(a)", "mean(a, axis=0)", "prod(a)", "prod(a, axis=-1)",
				"var(a)", "var(a, axis=0)", "std(a, axis=-1)", "std(a - 1)", "norm(a.ravel())", "norm(a.ravel(), 1)", "norm(a.ravel(), 3)", "norm(a, axis=0)",
				"logsumexp(a % 9)", "logsumexp(a % 9, axis=-1)", "sum(a * a + 1)", "sum(a * 2, axis=0)", "prod(a + 0.5, axis=0)", "sum(a, where=a > 0.5)",
				"nansum(a)", "nanmean(a, axis=0)", "nanvar(a)", "nanprod(a, axis=-1)", "nanstd(a, axis=0)", "min(a)", "max(a, axis=0)",
				"median(a)", "quantile(a, 0.3, axis=-1)", "cumsum(a)", "cumsum(a, axis=0)", "cumprod(a, axis=-1)", "trace(a)", "vdot(a, a)", "vecdot(a, a + 1)",
				"cov(a.reshape(-1, 70))", "corrcoef(a.reshape(70, -1))", "a.reshape(-1, 7).T @ a.reshape(-1, 7)", "einsum('...i,...i->...', a, a)", "var(a.reshape(-1, 7).T)", "sum(a[::-1])",
				"sum(concatenate([a, a*2], axis=-1), axis=0)", "mean(stack([a, a > 0], axis=1))", "cumsum(concatenate([a[1:], a]))", "max(pad(a, 2, 'reflect'), axis=-1)", "softmax(a % 9, axis=-1)",
			} {
				e, err := compute.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				var want []byte
				for i, x := range []*view.Tensor{inC, other, inC, other} {
					o := &compute.Options{Parallelism: 1 + i}
					if i >= 2 {
						o.Backend = compute.BackendKernels
					}
					result, err := e.Eval(t.Context(), names{"a": x}.env(), o)
					if err != nil {
						t.Fatalf("%s of %v: %v", text, shape, err)
					}
					got := packed(t, result)
					if i == 0 {
						want = got
					} else if !bytes.Equal(got, want) {
						t.Errorf("%s of %v %v, strides %v: other bits than in C order, case %d", text, dt, shape, x.Layout(), i)
					}
					if err := result.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// anyOrder lays a shape out with its axes in any order, turned and with gaps.
func anyOrder(rng *rand.Rand, shape []int) tensortest.Layout {
	l := tensortest.Layout{Shape: shape, Strides: make([]int, len(shape)), Span: 1, Skew: rng.IntN(2) * 4}
	step := 1 + rng.IntN(2)
	for _, axis := range rng.Perm(len(shape)) {
		l.Strides[axis] = step
		reach := (shape[axis] - 1) * step
		l.Span += reach
		step *= shape[axis]
		if rng.IntN(3) == 0 {
			l.Strides[axis] *= -1
			l.Offset += reach
		}
	}
	return l
}
