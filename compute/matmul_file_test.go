package compute_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// inFile returns a tensor in a new mapped file.
func inFile(t testing.TB, name string, dt dtype.Type, l view.Layout) *view.Tensor {
	t.Helper()
	_, hi := l.Bounds()
	st, err := mmapstore.Map(filepath.Join(t.TempDir(), name), 0, int64(hi*dt.Size()), mmapstore.Create, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := view.NewTensor(st, dt, l)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Release(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// TestMatmulFiles multiplies matrices in files, in several layouts, that are larger than the memory
// limit: with the same bits as in memory.
func TestMatmulFiles(t *testing.T) {
	m, k, n, limit := 500, 1500, 600, int64(4<<20)
	if !*compute.Long {
		m, k, n, limit = 200, 700, 250, 1<<20
	}
	layout := func(l view.Layout, err error) view.Layout {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	a, b := randomMatrix(t, 1, dtype.Float32, m, k), randomMatrix(t, 2, dtype.Float32, k, n)
	x, err := compute.FromTensor(a).MatMul(compute.FromTensor(b)).Eval(t.Context(), compute.Env{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	want := bytesOf(t, x)
	for name, layouts := range map[string][2]view.Layout{
		"rows":    {layout(view.NewLayout(m, k)), layout(view.NewLayout(k, n))},
		"columns": {layout(view.NewFortranLayout(m, k)), layout(view.NewFortranLayout(k, n))},
		"back":    {layout(view.MakeLayout([]int{m, k}, []int{-k, -1}, m*k-1)), layout(view.MakeLayout([]int{k, n}, []int{2 * n, 1}, 5))},
	} {
		p, q := inFile(t, "a", dtype.Float32, layouts[0]), inFile(t, "b", dtype.Float32, layouts[1])
		for to, from := range map[*view.Tensor]*view.Tensor{p: a, q: b} {
			if err := view.Copy(t.Context(), to, from); err != nil {
				t.Fatal(err)
			}
		}
		stmts := []compute.Statement{{Target: "c", Expr: compute.FromTensor(p).MatMul(compute.FromTensor(q))}}
		plan, err := compute.NewPlan(t.Context(), stmts, compute.Env{}, &compute.Options{MemoryLimit: limit, Parallelism: 2})
		if err != nil {
			t.Fatal(err)
		}
		got := inFile(t, "c", dtype.Float32, layout(view.NewLayout(m, n)))
		if err := plan.SetDst(0, got); err != nil {
			t.Fatal(err)
		}
		if err := plan.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(t, got), want) {
			t.Errorf("%s: other bits than in memory", name)
		}
		if err := plan.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
