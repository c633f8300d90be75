package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/compute/internal/bind"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A bench is what texts are bound to in tests: float32 tensors a and b of shape (4, 6), row of
// (6,), col of (4, 1), int64 i, bool m and complex64 z of (6,).
type bench struct {
	tensors map[string]*view.Tensor
	env     Env
	lookups []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	w := &bench{tensors: map[string]*view.Tensor{}}
	for name, of := range map[string]struct {
		dt    dtype.Type
		shape []int
	}{
		"a": {dtype.Float32, []int{4, 6}}, "b": {dtype.Float32, []int{4, 6}}, "row": {dtype.Float32, []int{6}},
		"col": {dtype.Float32, []int{4, 1}}, "i": {dtype.Int64, []int{6}}, "m": {dtype.Bool, []int{6}}, "z": {dtype.Complex64, []int{6}},
	} {
		w.tensors[name] = countedTensor(t, of.dt, of.shape...)
	}
	w.env.Lookup = func(name string) (*view.Tensor, error) {
		w.lookups = append(w.lookups, name)
		if x := w.tensors[name]; x != nil {
			return x, nil
		}
		return nil, fmt.Errorf("no tensor %q", name)
	}
	return w
}

// countedTensor holds 0, 1, 2, …; of bools every other one is true.
func countedTensor(t *testing.T, dt dtype.Type, shape ...int) *view.Tensor {
	t.Helper()
	l, err := view.NewLayout(shape...)
	if err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.New(int64(l.NumElems() * dt.Size()))
	if err != nil {
		t.Fatal(err)
	}
	x, err := view.NewTensor(st, dt, l)
	if err := errors.Join(err, st.Release()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	n := 0
	for index := range x.Indexes() {
		v := dtype.ScalarOf(int64(n)).Convert(dt)
		if dt == dtype.Bool {
			v = dtype.ScalarOf(n%2 == 1)
		}
		if err := x.Set(v, index...); err != nil {
			t.Fatal(err)
		}
		n++
	}
	return x
}

// bound returns the plan of a program, which is closed with the test.
func (w *bench) bound(t *testing.T, text string) (*Plan, error) {
	t.Helper()
	stmts, err := ParseProgram(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(context.Background(), stmts, w.env, nil)
	if err == nil {
		t.Cleanup(func() {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return p, err
}

// tree returns what the last statement of a program does, a step a line.
func (w *bench) tree(t *testing.T, text string) string {
	t.Helper()
	p, err := w.bound(t, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var b strings.Builder
	p.passes.Statements()[len(p.passes.Statements())-1].Value.Print(&b, syntax.Quote)
	return b.String()
}

// TestBindTrees checks what texts are lowered to.
func TestBindTrees(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a + 2*b", "add float32 (4, 6)\n  a float32 (4, 6)\n  mul float32 (4, 6)\n    2.0 float32\n    b float32 (4, 6)\n"},
		{"sqrt(a*a) + a*a", "add float32 (4, 6)\n  sqrt float32 (4, 6)\n    #1: mul float32 (4, 6)\n      a float32 (4, 6)\n      a float32 (4, 6)\n  #1\n"},
		{"(a + row)[::2].T", "add float32 (6, 2)\n  a float32 (6, 2)\n  row float32 (6, 1)\n"},
		{"(exp(col) + row)[1]", "add float32 (6,)\n  exp float32 (1,)\n    col float32 (1,)\n  row float32 (6,)\n"},
		{"exp(col)[:, [0]]", "exp float32 (4, 1)\n  pick float32 (4, 1)\n    col float32 (4, 1)\n    `list of 1` int64 (1,)\n"},
		{"sum(a, axis=0)[::2]", "view float32 (3,)\n  sum, axes 0 float32 (6,)\n    a float32 (4, 6)\n"},
		{"(a - mean(a, axis=1, keepdims=True))[0]", "sub float32 (6,)\n  a float32 (6,)\n  view float32 (1,)\n    mean, axes 1 float32 (4, 1)\n      a float32 (4, 6)\n"},
		{"(a + 1).reshape(-1)", "add float32 (24,)\n  a float32 (24,)\n  1.0 float32\n"},
		{"i + a[0]", "add float64 (6,)\n  convert float64 (6,)\n    i int64 (6,)\n  convert float64 (6,)\n    a float32 (6,)\n"},
		{"i/2", "div float64 (6,)\n  convert float64 (6,)\n    i int64 (6,)\n  2.0 float64\n"},
		{"a**2 + a**0.5 + a**-1", "add float32 (4, 6)\n  add float32 (4, 6)\n    square float32 (4, 6)\n      a float32 (4, 6)\n    sqrt float32 (4, 6)\n      a float32 (4, 6)\n  reciprocal float32 (4, 6)\n    a float32 (4, 6)\n"},
		{"m + m*m", "or bool (6,)\n  m bool (6,)\n  and bool (6,)\n    m bool (6,)\n    m bool (6,)\n"},
		{"i < 10**30", "repeat bool (6,)\n  True bool\n"},
		{"where(m, i, 0)", "where int64 (6,)\n  m bool (6,)\n  i int64 (6,)\n  0 int64\n"},
		{"z.imag", "z float32 (6,)\n"},
		{"(z*2).imag", "imag float32 (6,)\n  mul complex64 (6,)\n    z complex64 (6,)\n    2j complex64\n"},
		{"ptp(a)", "sub float32 ()\n  max float32 ()\n    a float32 (4, 6)\n  min float32 ()\n    a float32 (4, 6)\n"},
		{"nansum(a, axis=-1)", "sum, axes 1, where float32 (4,)\n  a float32 (4, 6)\n  equal bool (4, 6)\n    a float32 (4, 6)\n    a float32 (4, 6)\n"},
		{"min(a, where=a > 1, initial=9)", "min float32 ()\n  min float32 ()\n    where float32 (4, 6)\n      greater bool (4, 6)\n        a float32 (4, 6)\n        1.0 float32\n      a float32 (4, 6)\n      9.0 float32\n  9.0 float32\n"},
		{"norm(a, 1)", "max float32 ()\n  sum_abs, axes 0 float32 (1, 6)\n    a float32 (4, 6)\n"},
		{"diff(row)", "sub float32 (5,)\n  row float32 (5,)\n  row float32 (5,)\n"},
		{"zeros((2, 3)) + 1", "add float64 (2, 3)\n  0.0 float64\n  1.0 float64\n"},
		{"arange(3)[::-1]", "generated int64 (3,)\n"},
		{"a.astype(float32).astype(int8)", "convert int8 (4, 6)\n  a float32 (4, 6)\n"},
		{"2**3 - 1", "7 int64\n"},
		{"c = a + 1; c*c", "mul float32 (4, 6)\n  #1: add float32 (4, 6)\n    a float32 (4, 6)\n    1.0 float32\n  #1\n"},
	} {
		t.Run(test.text, func(t *testing.T) {
			got := newBench(t).tree(t, test.text)
			want := test.want
			if strings.Contains(test.text, "z*2") {
				want = strings.Replace(want, "2j", "(2+0j)", 1)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSharedTerms builds expressions that hold one part 2⁶⁰ times.
func TestSharedTerms(t *testing.T) {
	w := newBench(t)
	e := Name("row")
	for range 60 {
		e = e.Mul(e).Slice("[::-1]")
	}
	p, err := NewPlan(context.Background(), []Statement{{Expr: e}}, w.env, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if n := p.passes.Statements()[0].Value.ID; n > 5000 {
		t.Errorf("%d nodes", n)
	}
	if !e.Equal(e) || len(e.String()) > 2<<20 {
		t.Error("the text of a shared term is not cut")
	}
}

func TestBindNames(t *testing.T) {
	w := newBench(t)
	define := map[string]string{"ndvi": "(a - b)/(a + b)", "loop": "pool + 1", "pool": "loop - 1", "two": "2", "k2": "k*2"}
	w.env.Expand = func(name string) (Expr, bool, error) {
		text, ok := define[name]
		if !ok {
			return Expr{}, false, nil
		}
		e, err := Parse(text)
		return e, true, err
	}
	w.env.Vars = map[string]dtype.Scalar{
		"k": dtype.ScalarOf(int64(3)), "half": dtype.ScalarOf(0.5), "f": dtype.ScalarOf(float32(2)), "row": dtype.ScalarOf(true),
	}
	for _, test := range []struct{ text, want string }{
		{"a[k]", "float32 (6,)"},
		{"a[:, k:]", "float32 (4, 3)"},
		{"a[k - 2::k]", "float32 (1, 6)"},
		{"a*half", "float32 (4, 6)"},
		{"i*f", "float64 (6,)"},
		{"sum(a, axis=k - 2)", "float32 (4,)"},
		{"zeros((k, k))", "float64 (3, 3)"},
		{"row + 1", "int64 ()"},
		{"ndvi[0]", "float32 (6,)"},
		{"ndvi*ndvi", "float32 (4, 6)"},
		{"a*two", "float64 (4, 6)"}, // a lazy name is an array, not a number
		{"k = a; k[0]", "float32 (6,)"},
		{"ndvi = 1; ndvi", "int64 ()"},
		{"a[[]]", "float32 (0, 6)"},
		{"(a + 1)[:, []]", "float32 (4, 0)"},
		{"a[[], []]", "float32 (0,)"},
		{"a[[[]]]", "float32 (1, 0, 6)"},
	} {
		t.Run(test.text, func(t *testing.T) {
			p, err := w.bound(t, test.text)
			if err != nil {
				t.Fatal(err)
			}
			out := p.Outputs()[len(p.Outputs())-1]
			if got := out.DType.String() + " " + syntax.FormatShape(out.Shape); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	for text, want := range map[string]string{
		"loop":          `"loop" is defined by itself: loop → pool → loop`,
		"k2":            `no tensor "k"`, // variables are not seen in there
		"ndvi[9]":       "index 9 is out of bounds",
		"a[half]":       "float64 elements as an index",
		"a[a[:0, 0]]":   "float32 elements as an index",
		"a.reshape(k)":  "expected an integer",
		"two + nothing": "nothing",
	} {
		stmts, err := ParseProgram(text)
		if err == nil {
			_, err = NewPlan(context.Background(), stmts, w.env, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	t.Run("looked up once", func(t *testing.T) {
		define["x0"] = "col*2"
		for i := range 50 {
			define[fmt.Sprint("x", i+1)] = fmt.Sprintf("x%d + x%[1]d*col", i)
		}
		w.lookups = nil
		if _, err := w.bound(t, "x50 - x49; col + x2"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"col"}, w.lookups); diff != "" {
			t.Error(diff)
		}
	})
	if _, err := NewPlan(context.Background(), []Statement{{Expr: Name("x")}}, Env{}, nil); err == nil || !strings.Contains(err.Error(), `there is no "x"`) {
		t.Errorf("without an environment: %v", err)
	}
}

// TestBindStatements checks what later statements see of earlier ones.
func TestBindStatements(t *testing.T) {
	w := newBench(t)
	w.env.InPlace = func(target string) (*view.Tensor, error) {
		if target == "a" || target == "row" {
			return w.tensors[target], nil
		}
		return nil, nil
	}
	afters := func(n *graph.Node) []int {
		var all []int
		n.Walk(func(m *graph.Node) {
			if m.Kind == graph.NodeTensor {
				all = append(all, m.After)
			}
		})
		slices.Sort(all)
		return all
	}
	for _, test := range []struct {
		text  string
		after []int // of the tensors that the last statement reads
	}{
		{"a += 1; a", []int{1}},
		{"a[0] += 1; a[1]", []int{0}}, // other elements
		{"a[0] += 1; a[:2]", []int{1}},
		{"c = a + 1; a += 1; c", []int{0}},
		{"a += 1; b", []int{0}},
		{"a += 1; c = a; a *= 2; a - c*0", []int{1, 3}},
		{"a += row; row += 1; a + row", []int{1, 2}},
	} {
		t.Run(test.text, func(t *testing.T) {
			p, err := w.bound(t, test.text)
			if err != nil {
				t.Fatal(err)
			}
			got := afters(p.passes.Statements()[len(p.passes.Statements())-1].Value)
			if diff := cmp.Diff(test.after, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("replaced", func(t *testing.T) {
		p, err := w.bound(t, "c = b; c += 1; c = c*c")
		if err != nil {
			t.Fatal(err)
		}
		var replaced []bool
		for _, st := range p.passes.Statements() {
			replaced = append(replaced, st.Replaced)
		}
		if diff := cmp.Diff([]bool{true, true, false}, replaced); diff != "" {
			t.Error(diff)
		}
	})
	for text, want := range map[string]string{
		"a[[0, 1]] = 1":                "where(mask, values, a)",
		"a.broadcast_to(2, 4, 6) += 1": "repeated elements cannot be written",
		"a[9] = 1":                     "out of bounds",
		"a = z[0]":                     "complex64 elements are not stored as float32",
		"a += 1; b[a[0] > 3]":          `an earlier statement writes elements of "a"`,
		"c = 1; c[0] = 2":              `no tensor "c" to write it into`,
		"c += 1":                       `no tensor "c"`,
	} {
		if _, err := w.bound(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// TestBindReleases checks that nothing is held of a program that cannot be bound.
func TestBindReleases(t *testing.T) {
	w := newBench(t)
	before := liveBlocks()
	for _, text := range []string{"a[::2] + b[[1, 2]].T + nothing", "a[a > 3] + i.view(int8) + a"} {
		stmts, err := ParseProgram(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewPlan(context.Background(), stmts, w.env, nil); err == nil {
			t.Fatalf("%s: no error", text)
		}
	}
	if after := liveBlocks(); after != before {
		t.Errorf("%d storages before, %d after", before, after)
	}
	if _, err := w.tensors["a"].Get(0, 0); err != nil {
		t.Errorf("a tensor of the caller: %v", err)
	}
}

// liveBlocks counts storages.
func liveBlocks() (n int64) {
	for _, use := range mmapstore.Stats() {
		n += int64(use.Blocks)
	}
	return n
}

// BenchmarkParseAndBind is the cost of an expression on small tensors, without computing it.
func BenchmarkParseAndBind(b *testing.B) {
	x, err := view.FromSlice(make([]float32, 1000))
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	names := bind.Names{Lookup: func(string) (*view.Tensor, error) { return x, nil }}
	b.ReportAllocs()
	for b.Loop() {
		stmts, err := bind.Functions().ParseProgram("sqrt(x*x + 2*y - 1)")
		if err != nil {
			b.Fatal(err)
		}
		p, err := bind.Program(context.Background(), stmts, names, graph.Limits{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
