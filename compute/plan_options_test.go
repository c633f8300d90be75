package compute_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func TestOptionsErrors(t *testing.T) {
	for _, o := range []compute.Options{{Parallelism: -1}, {MemoryLimit: -1}, {IO: 9}, {Backend: 9}} {
		if p, err := compute.NewPlan(context.Background(), nil, compute.Env{}, &o); err == nil {
			p.Close()
			t.Errorf("options %+v were taken", o)
		}
	}
}

// TestScratch checks that results and temporaries take their memory from Scratch, and that its
// errors end the plan.
func TestScratch(t *testing.T) {
	full := errors.New("full")
	room := int64(100)
	o := &compute.Options{Scratch: func(size int64) (*mmapstore.Storage, error) {
		if size > room {
			return nil, full
		}
		room -= size
		return mmapstore.New(size)
	}}
	n := names{"a": array(t, []float64{1, 2, 3}, 3)}
	p := newPlan(t, "a - a.mean()", n.env(), o)
	runPlan(t, p)
	if got, want := text(t, p.Result(0)), "[-1. 0. 1.]"; got != want {
		t.Errorf("elements %s, want %s", got, want)
	}
	if room != 100-24-8 {
		t.Errorf("%d bytes of scratch are left", room)
	}
	room = 10
	p = newPlan(t, "a + 1", n.env(), o)
	if err := p.Run(context.Background()); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := names{"a": array(t, make([]float64, 1<<20), 1<<20)}
	o := &compute.Options{Progress: func(compute.Progress) { cancel() }}
	stmts, err := compute.ParseProgram("sin(cos(tan(a)))")
	if err != nil {
		t.Fatal(err)
	}
	p, err := compute.NewPlan(ctx, stmts, n.env(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestWorkers checks that results are the same bits for any number of workers and any limit of
// memory.
func TestWorkers(t *testing.T) {
	const rows, cols = 700, 513
	data := make([]float32, rows*cols)
	for i := range data {
		data[i] = float32(i%1009)*0.37 - 100
	}
	n := names{"a": array(t, data, rows, cols), "r": array(t, data[:cols], cols)}
	for _, program := range []string{
		"a * r + 1", "a.T + 0", "a.sum()", "a.mean(axis=0)", "a.var(axis=1)", "(a * r).std()", "a.T.max(axis=1)",
		"logsumexp(a / 50)", "argmin(a)", "exp(a / 100).sum(axis=0)",
	} {
		var want *view.Tensor
		for _, workers := range []int{1, 2, 3, 7} {
			for _, limit := range []int64{0, 1 << 20} {
				p := newPlan(t, program, n.env(), &compute.Options{Parallelism: workers, MemoryLimit: limit})
				runPlan(t, p)
				got := p.Result(0)
				if want == nil {
					want = got
					continue
				}
				if same, err := view.Equal(t.Context(), want, got); err != nil || !same {
					t.Errorf("%s: %d workers and a limit of %d bytes give other elements (%v)", program, workers, limit, err)
				}
			}
		}
	}
}

func TestPread(t *testing.T) {
	x := mappedFloats(t, 3000)
	m, err := x.Reshape(60, 50)
	if err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"x * 2", "x[::3]", "x[::-1] + x", "m.T", "m.T + m.reshape(50, 60)"} {
		n := names{"x": x, "m": m}
		mapped := newPlan(t, program, n.env(), &compute.Options{IO: compute.IOMapped})
		read := newPlan(t, program, n.env(), &compute.Options{IO: compute.IOPread})
		runPlan(t, mapped)
		runPlan(t, read)
		if same, err := view.Equal(t.Context(), mapped.Result(0), read.Result(0)); err != nil || !same {
			t.Errorf("%s: elements that were read differ (%v)", program, err)
		}
	}
}

// mappedFloats returns the float64 elements 0, 1, 2, … in a mapped file.
func mappedFloats(t *testing.T, n int) *view.Tensor {
	t.Helper()
	st, err := mmapstore.WithAllocator(mmapstore.File{Dir: t.TempDir()}, int64(8*n))
	if err != nil {
		t.Fatal(err)
	}
	l, err := view.NewLayout(n)
	if err != nil {
		t.Fatal(err)
	}
	x, err := view.NewTensor(st, dtype.Float64, l)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Release(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	e, err := compute.Parse("arange(" + fmt.Sprint(n) + ")")
	if err != nil {
		t.Fatal(err)
	}
	if err := compute.Assign(context.Background(), x, compute.Set, e, nil); err != nil {
		t.Fatal(err)
	}
	return x
}
