package compute_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// randomMatrix returns a matrix of normally distributed elements, or close to that.
func randomMatrix(t testing.TB, seed int, dt dtype.Type, shape ...int) *view.Tensor {
	t.Helper()
	e := compute.Call("random", compute.Scalar(seed), compute.Ints(shape...)).Sub(compute.Scalar(0.5)).AsType(dt)
	x, err := e.Eval(t.Context(), compute.Env{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func bytesOf(t testing.TB, x *view.Tensor) []byte {
	t.Helper()
	var all []byte
	if err := x.Blocks(1<<16, func(b []byte) error { all = append(all, b...); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMatmulSameBits multiplies with several numbers of workers and little memory.
func TestMatmulSameBits(t *testing.T) {
	a, b := randomMatrix(t, 1, dtype.Float32, 700, 900), randomMatrix(t, 2, dtype.Float32, 900, 650)
	e := compute.FromTensor(a).MatMul(compute.FromTensor(b))
	var want []byte
	for _, o := range []compute.Options{{Parallelism: 1}, {Parallelism: 2}, {Parallelism: 5, MemoryLimit: 1 << 20}} {
		x, err := e.Eval(t.Context(), compute.Env{}, &o)
		if err != nil {
			t.Fatal(err)
		}
		got := bytesOf(t, x)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("other bits with %+v", o)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMatmulSpecial follows NaN and infinities through products.
func TestMatmulSpecial(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	a, err := view.FromSlice([]float64{1, nan, inf, 2, 0, 1, -inf, inf, 0}, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := view.FromSlice([]float64{1, 0, 2, 1, 0, 1}, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	x, err := compute.FromTensor(a).MatMul(compute.FromTensor(b)).Eval(t.Context(), compute.Env{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	got, err := view.As[float64](x)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{nan, nan, 2, 1, nan, nan}
	for i, w := range want {
		if v, err := got.At(i/2, i%2); err != nil || !(v == w || v != v && w != w) {
			t.Errorf("element %d is %v, %v; want %v", i, v, err, w)
		}
	}
}

// TestMatmulFunctions compares what the functions of Go make, as it is printed, with texts.
func TestMatmulFunctions(t *testing.T) {
	a, b := randomMatrix(t, 1, dtype.Float64, 5, 6), randomMatrix(t, 2, dtype.Float64, 6, 5)
	operands := map[string]*view.Tensor{"a": a, "b": b}
	x, y := compute.Name("a"), compute.Name("b")
	for text, e := range map[string]compute.Expr{
		"a @ b":                               x.MatMul(y),
		"dot(a, b)":                           compute.Dot(x, y),
		"tensordot(a, b, axes=([1], [0]))":    compute.TensorDot(x, y, []int{1}, []int{0}),
		"einsum('ij,jk->ki', a, b)":           compute.Einsum("ij,jk->ki", x, y),
		"einsum('ij,ji', a, b)":               compute.Einsum("ij,ji", x, y),
		"tensordot(a, b, axes=([0,1],[1,0]))": compute.TensorDot(x, y, []int{0, 1}, []int{1, 0}),
	} {
		want, err := evaluate(t.Context(), text, operands, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := evaluate(t.Context(), e.String(), operands, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.elements, got.elements); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// TestMatmulExplained looks at what a plan says of a product, and where its elements go.
func TestMatmulExplained(t *testing.T) {
	a := randomMatrix(t, 1, dtype.Float32, 300, 300)
	stmts, err := compute.ParseProgram("c = a @ a")
	if err != nil {
		t.Fatal(err)
	}
	p, err := compute.NewPlan(t.Context(), stmts, compute.Env{Lookup: func(string) (*view.Tensor, error) { return a, nil }}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, part := range []string{"pass 1 of 1: store matmul of (300, 300) and (300, 300) as c", "reads:  a float32 (300, 300), 352 KiB", "products in float32"} {
		if text := p.String(); !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
}

// TestMatmulCancelled cancels a chain of products when it is first told of progress, and looks that
// most of them are not begun.
func TestMatmulCancelled(t *testing.T) {
	x := compute.FromTensor(randomMatrix(t, 1, dtype.Float64, 1000, 1000))
	products := x
	for range 40 {
		products = products.MatMul(x)
	}

	// Progress is told now and then: other programs may make the first time come late.
	last := 0.0
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		o := compute.Options{Progress: func(p compute.Progress) {
			last = float64(p.Done) / float64(p.Total)
			cancel()
		}}
		result, err := products.Eval(ctx, compute.Env{}, &o)
		cancel()
		if err == nil {
			result.Close()
			continue
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want %v", err, context.Canceled)
		}
		if last <= 0.5 {
			return
		}
	}
	t.Errorf("it ended when %.0f %% were done", 100*last)
}
