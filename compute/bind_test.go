package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A bench is what texts are bound to in tests: float32 tensors a and b of shape (4, 6), row of (6,), col of (4, 1),
// int64 i, bool m and complex64 z of (6,).
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
	p.bound.stmts[len(p.bound.stmts)-1].value.print(&b)
	return b.String()
}

// TestBindTrees checks what texts are lowered to.
func TestBindTrees(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a + 2*b", "add float32 (4, 6)\n  a float32 (4, 6)\n  mul float32 (4, 6)\n    2.0 float32\n    b float32 (4, 6)\n"},
		{"sqrt(a*a) + a*a", "add float32 (4, 6)\n  sqrt float32 (4, 6)\n    #1: mul float32 (4, 6)\n      a float32 (4, 6)\n      a float32 (4, 6)\n  #1\n"},
		{"(a + row)[::2].T", "add float32 (6, 2)\n  a float32 (6, 2)\n  row float32 (6, 1)\n"},
		{"(exp(col) + row)[1]", "add float32 (6,)\n  exp float32 (1,)\n    col float32 (1,)\n  row float32 (6,)\n"},
		{"exp(col)[:, [0]]", "exp float32 (4, 1)\n  tensor float32 (4, 1)\n"},
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

func TestBindErrors(t *testing.T) {
	many := Scalar(1)
	for range 70 {
		many = many.Add(many)
	}
	deep := Name("row")
	for range 110_000 {
		deep = deep.Neg()
	}
	for _, test := range []struct {
		text string
		pos  int
		want string
	}{
		{"1 + a + arange(5)", 6, "+: shapes (4, 6) and (5,) "},
		{"a + arange(5)", 2, "+: shapes (4, 6) and (5,) do not go together"},
		{"nothing + a", 0, `no tensor "nothing"`},
		{"int8(1) + 300", 8, "300: out of range: int8 holds -128 to 127"},
		{"m - m", 2, "write ^ or logical_xor"},
		{"-m", 0, "logical_not"},
		{"a & b", 2, "& takes bool or integer elements, found float32"},
		{"z // 2", 2, "// takes integer or float elements, found complex64"},
		{"floor(z)", 0, "floor takes float elements, found complex64"},
		{"i ** -1", 2, "negative integer powers"},
		{"i ** (i - 3)", 2, "negative integer powers"},
		{"1 / 0", 2, "division by zero"},
		{"9**9**9", 1, "more than 4096 bits"},
		{"1 << 10**9", 2, "a shift by"},
		{"1j < 2j", 3, "complex numbers have no order"},
		{"1.5 & 2", 4, "expected integers"},
		{"a @ b", 2, "expected as many columns of the first as rows of the second, found 6 and 4"},
		{"sum(a, axis=2)", 12, "axis 2 is out of bounds"},
		{"sum(a, axis=(0, 0))", 12, "names an axis twice"},
		{"sum(a, axis=0.5)", 12, "expected an integer"},
		{"sum(a, axis=row)", 12, "expected an integer"},
		{"sum(a, where=row)", 13, "where takes bool elements, found float32"},
		{"sum(a, where=[True, False])", 13, "where of shape (2,) does not fit elements of shape (4, 6)"},
		{"max(a, where=a > 0)", 0, "needs initial"},
		{"sum(i, initial=1.5)", 0, "1.5 is no integer"},
		{"prod(int8(2) * i.astype(int8), dtype=int8, initial=200)", 0, "200: out of range"},
		{"sum(a, axis=1, initial=row)", 0, "a number, no array"},
		{"max(a[:0])", 0, "max of no elements"},
		{"argmax(a, axis=(0, 1))", 15, "takes one axis"},
		{"logsumexp(z)", 0, "logsumexp takes no complex64 elements"},
		{"norm(a, 'nuc')", 8, "is not there"},
		{"norm(a, 2)", 0, "order 2 of matrices is not there yet"},
		{"a[9]", 1, "index 9 is out of bounds for axis 0 with size 4"},
		{"a[[9]]", 1, "index 9 is out of bounds"},
		{"a[a]", 2, "float32 elements as an index"},
		{"a[0.5]", 2, "float64 elements as an index"},
		{"a[m]", 1, ""},
		{"a.reshape(5, -1)", 2, "24 elements, shape (4, 6), do not fill"},
		{"a[[1, [2]]]", 6, "of one length and depth"},
		{"[[1], 2]", 6, "a number beside a list"},
		{"[1, a]", 4, "a list holds numbers only"},
		{"(1, 2) + a", 0, "a tuple is an argument"},
		{"'x' + a", 0, "is text"},
		{"None + a", 0, "expected an operand, found None"},
		{"clip(a, 0, a > 1) + where(a, 1, 'x')", 32, "is text"},
		{"zeros(-1)", 6, "negative"},
		{"zeros((1 << 40, 1 << 40))", 6, ""},
		{"zeros((1 << 40, 1)) + zeros(1 << 40)", 20, ""},
		{"arange(0, 1, 0)", 0, "a step of 0"},
		{"arange(inf)", 0, "more than can be addressed"},
		{"random(-1)", 7, "a seed is an integer"},
		{"linspace(0, 1, -1)", 0, "expected 0 to"},
		{"bincount(i - 1)", 0, "bincount of -1: expected no negative elements"},
		{"bincount(i.astype(int8) - int8(7))", 0, "no negative elements"},
		{"bincount(i - 2**62 - 2**62)", 0, "no negative elements"},
		{"bincount(i.astype(uint64) + 2**63)", 0, "expected elements below 268435456"},
		{"bincount(i + 2**28)", 0, "expected elements below 268435456"},
		{"bincount(a)", 0, "takes bool or integer elements"},
		{"histogram(a, 0)", 13, "bins are from 1"},
		{"histogram(a, 3, (1, 0))", 16, "the lower one first"},
		{"diff(a, 99)", 8, "n is from 0"},
		{"diff(1)", 0, "expected an array"},
		{"round(a, 1000)", 9, "decimals are from"},
		{"a[0] = 1", 7, `no tensor "a" to write it into`},
		{"c += 1", 5, `no tensor "c"`},
		{"a += 1j", 5, "complex64 elements are not stored as float32"},
		{"i += 0.5", 5, "float64 elements are not stored as int64; write .astype(int64)"},
		{"i /= 2", 5, "float64 elements are not stored as int64"},
		{"row += a", 7, "elements of shape (4, 6) do not fit shape (6,)"},
	} {
		t.Run(test.text, func(t *testing.T) {
			_, err := newBench(t).bound(t, test.text)
			var at *ExprError
			if !errors.As(err, &at) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an *ExprError with %q", err, test.want)
			}
			if at.Pos != test.pos {
				t.Errorf("got position %d, want %d: %v", at.Pos, test.pos, err)
			}
		})
	}
	for name, test := range map[string]struct {
		e    Expr
		want string
	}{
		"zero":         {Expr{}, "an empty expression"},
		"of zero":      {Sqrt(Expr{}), "lacks its argument x"},
		"unknown":      {Call("sqr", Name("a")), "did you mean"},
		"too many":     {Call("sqrt", Name("a"), Name("b")), "no more than 1"},
		"scalar":       {Scalar("x"), "Go type string"},
		"no option":    {Reduction("ptp", Name("a"), ReduceOptions{DDof: 1}), `no argument "ddof"`},
		"no reduction": {Reduction("sqrt", Name("a"), ReduceOptions{}), "no reduction"},
		"astype":       {Name("a").AsType(dtype.Invalid), "no valid dtype"},
		"large number": {many.Mul(Scalar(1 << 40)).Pow(Scalar(100)), "more than 4096 bits"},
		"deep":         {deep, "more than 100000 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newBench(t)
			_, err := NewPlan(context.Background(), []Statement{{Expr: test.e}}, w.env, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if text := test.e.String(); len(text) > 2*maxPrinted {
				t.Errorf("a text of %d bytes", len(text))
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
	if n := p.bound.stmts[0].value.id; n > 5000 {
		t.Errorf("%d nodes", n)
	}
	if !e.Equal(e) || len(e.String()) > 2*maxPrinted {
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
	} {
		t.Run(test.text, func(t *testing.T) {
			p, err := w.bound(t, test.text)
			if err != nil {
				t.Fatal(err)
			}
			out := p.Outputs()[len(p.Outputs())-1]
			if got := out.DType.String() + " " + formatShape(out.Shape); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	for text, want := range map[string]string{
		"loop":          `"loop" is defined by itself: loop → pool → loop`,
		"k2":            `no tensor "k"`, // variables are not seen in there
		"ndvi[9]":       "index 9 is out of bounds",
		"a[half]":       "float64 elements as an index",
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
	afters := func(n *node) []int {
		var all []int
		n.walk(func(m *node) {
			if m.kind == nodeTensor {
				all = append(all, m.after)
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
			got := afters(p.bound.stmts[len(p.bound.stmts)-1].value)
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
		for _, st := range p.bound.stmts {
			replaced = append(replaced, st.replaced)
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
	env := Env{Lookup: func(string) (*view.Tensor, error) { return x, nil }}
	b.ReportAllocs()
	for b.Loop() {
		stmts, err := ParseProgram("sqrt(x*x + 2*y - 1)")
		if err != nil {
			b.Fatal(err)
		}
		p, err := bind(context.Background(), stmts, env, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := p.close(); err != nil {
			b.Fatal(err)
		}
	}
}
