package compute

import (
	"context"
	"errors"
	"testing"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// maxFuzzElems bounds what is computed of a random program.
const maxFuzzElems = 1 << 16

// FuzzProgram binds random programs to small tensors, and computes those that are small themselves.
func FuzzProgram(f *testing.F) {
	for _, seed := range []string{
		"c = sqrt(a*a + b*b); c[::2]", "sum(a, axis=(0, 1), where=a > 3) + row", "a[[1, 0], :2].T @ b", "a += row; a*2", "z.real.view(int8)",
		"i ** (i - 1)", "histogram(a, 3) + bincount(i, minlength=3)", "diff(a, 2)[m[:4]]", "norm(a, -inf, axis=(1, 0))", "clip(i, -10**30, 10**30) < 2**64",
		"arange(0, 1, .1)[::-1] // 3", "where(m, [1, 2, 3, 4, 5, 6], nan).reshape(2, 3)[k]", "lazy[0] - full_like(a, k)", "round(a, -1).flip().unfold(0, 2, 1)",
		"mean(a, axis='y') + a.T.sort('x').sum(('y', -1))", "concatenate([a, lazy], 'x').cumsum('y')",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 300 {
			return
		}
		stmts, err := ParseProgram(text)
		if err != nil {
			return
		}
		w := newBench(t)
		w.env.Vars = map[string]dtype.Scalar{"k": dtype.ScalarOf(int64(1))}
		w.env.Dims = func(name string) []string { return map[string][]string{"a": {"y", "x"}, "row": {"x"}}[name] }
		w.env.InPlace = func(target string) (*view.Tensor, error) { return w.tensors[target], nil }
		w.env.Expand = func(name string) (Expr, bool, error) { return Name("a").Add(Name("row")), name == "lazy", nil }
		o := &Options{Scratch: smallScratch}
		p, err := NewPlan(context.Background(), stmts, w.env, o)
		if err != nil {
			return
		}
		defer p.Close()
		_ = p.String()
		for i := range p.passes.Statements() {
			tooLarge := false
			p.passes.Statements()[i].Value.Walk(func(n *graph.Node) { tooLarge = tooLarge || graph.NumElems(n.Shape) > maxFuzzElems })
			if tooLarge {
				return
			}
		}
		if err := p.Run(context.Background()); err != nil {
			return
		}
		for i, out := range p.Outputs() {
			if r := p.Result(i); r != nil && (r.DType() != out.DType || syntax.FormatShape(r.Shape()) != syntax.FormatShape(out.Shape)) {
				t.Fatalf("%q: statement %d is %v, promised %v %v", text, i, r, out.DType, out.Shape)
			}
		}
	})
}

// smallScratch makes storages of a megabyte at most.
func smallScratch(size int64) (*mmapstore.Storage, error) {
	if size > 1<<20 {
		return nil, errors.New("too large")
	}
	return mmapstore.New(size)
}
