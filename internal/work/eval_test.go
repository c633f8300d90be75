package work_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// evalBare is what an expression alone makes.
func evalBare(t testing.TB, s *tstore.Store, text string, o *tstore.EvalOptions) []float64 {
	t.Helper()
	r, err := s.Eval(t.Context(), text, o)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer r.Close()
	return storetest.Elements(t, r.Outputs[len(r.Outputs)-1].Tensor.Tensor)
}

// evalStore has x (0 to 5, of shape (3, 2)), its view v = x[::2], y (10, 20), large (100,000
// elements that count up) and the blob note.
func evalStore(t testing.TB) *tstore.Store {
	t.Helper()
	s := storetest.NewStore(t)
	src := storetest.Source(t, 0, 3, 2)
	src.Dims, src.Attrs = []string{"row", "col"}, map[string]catalog.Value{"units": catalog.StringValue("K")}
	storetest.Create(t, s, "x", src)
	storetest.Create(t, s, "y", storetest.Source(t, 10, 2))
	storetest.Create(t, s, "large", storetest.Source(t, 0, 100_000))
	if err := errors.Join(s.View(t.Context(), "v", "x[::2]"), s.PutBlob(t.Context(), "note", catalog.IntValue(1))); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEval(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		o    *tstore.EvalOptions
		want map[string][]float64
	}{
		"new":                 {"c = x + y", nil, map[string][]float64{"c": {10, 12, 12, 14, 14, 16}}},
		"replaced":            {"y = x[0] - 1", nil, map[string][]float64{"y": {-1, 0}}},
		"replaced by itself":  {"y = y * y", nil, map[string][]float64{"y": {100, 121}}},
		"replaced, views":     {"x = x * 2", nil, map[string][]float64{"x": {0, 2, 4, 6, 8, 10}, "v": {0, 1, 4, 5}}},
		"added":               {"x += y", nil, map[string][]float64{"x": {10, 12, 12, 14, 14, 16}, "v": {10, 12, 14, 16}}},
		"multiplied":          {"y *= 2", nil, map[string][]float64{"y": {20, 22}}},
		"largest":             {"x max= 2", nil, map[string][]float64{"x": {2, 2, 2, 3, 4, 5}}},
		"part":                {"x[1] = y", nil, map[string][]float64{"x": {0, 1, 10, 11, 4, 5}}},
		"part from itself":    {"x[1:] = x[:2]", nil, map[string][]float64{"x": {0, 1, 0, 1, 2, 3}}},
		"part reversed":       {"x[::-1] = x", nil, map[string][]float64{"x": {4, 5, 2, 3, 0, 1}}},
		"part added":          {"x[::2] -= 1", nil, map[string][]float64{"x": {-1, 0, 2, 3, 3, 4}, "v": {-1, 0, 3, 4}}},
		"through a view":      {"v += 10", nil, map[string][]float64{"x": {10, 11, 2, 3, 14, 15}}},
		"two":                 {"c = x + 1; d = c * 2", nil, map[string][]float64{"c": {1, 2, 3, 4, 5, 6}, "d": {2, 4, 6, 8, 10, 12}}},
		"made twice":          {"c = y; c = c + 1", nil, map[string][]float64{"c": {11, 12}}},
		"made, then changed":  {"c = y; c[0] = 1; d = c + c", nil, map[string][]float64{"c": {1, 11}, "d": {2, 22}}},
		"changed, then read":  {"x[0] = 7; c = v", nil, map[string][]float64{"x": {7, 7, 2, 3, 4, 5}, "c": {7, 7, 4, 5}}},
		"changed twice":       {"x[0] = x[1]; x[1] = x[0] + 1; v[1] = 0", nil, map[string][]float64{"x": {2, 3, 3, 4, 0, 0}}},
		"changed, then made":  {"y[0] = 1; y = y + 1", nil, map[string][]float64{"y": {2, 12}}},
		"swapped":             {"c = y; y = x[0]; x[0] = c", nil, map[string][]float64{"c": {10, 11}, "y": {0, 1}, "x": {10, 11, 2, 3, 4, 5}}},
		"scalar":              {"c = x.sum()", nil, map[string][]float64{"c": {15}}},
		"empty":               {"c = x[:0]", nil, map[string][]float64{"c": {}}},
		"empty part":          {"x[:0] = 1", nil, map[string][]float64{"x": {0, 1, 2, 3, 4, 5}}},
		"variables":           {"c = k*y + b", &tstore.EvalOptions{Vars: map[string]dtype.Scalar{"k": dtype.ScalarOf(int64(2)), "b": dtype.ScalarOf(0.5)}}, map[string][]float64{"c": {20.5, 22.5}}},
		"in place":            {"x = y", &tstore.EvalOptions{InPlace: true}, map[string][]float64{"x": {10, 11, 10, 11, 10, 11}, "v": {10, 11, 10, 11}}},
		"in place, part":      {"x[1:] = x[:2]; c = v", &tstore.EvalOptions{InPlace: true}, map[string][]float64{"x": {0, 1, 0, 1, 2, 3}, "c": {0, 1, 2, 3}}},
		"in place, view":      {"v += x[::2]", &tstore.EvalOptions{InPlace: true}, map[string][]float64{"x": {0, 2, 2, 3, 8, 10}}},
		"in place, two names": {"v[0] = 9; x[2] = v[0]", &tstore.EvalOptions{InPlace: true}, map[string][]float64{"x": {9, 9, 2, 3, 9, 9}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := evalStore(t)
			storetest.Eval(t, s, test.text, test.o)
			for sel, want := range test.want {
				storetest.WantValues(t, s, sel, want...)
			}
			storetest.WantValues(t, s, "large[99999]", 99_999)
		})
	}
}

// TestEvalLarge takes the ways of tensors that don't fit where small ones go.
func TestEvalLarge(t *testing.T) {
	count := storetest.UpTo(100_000)
	each := func(fn func(float64) float64) []float64 {
		out := slices.Clone(count)
		for i, v := range out {
			out[i] = fn(v)
		}
		return out
	}
	for _, inPlace := range []bool{false, true} {
		o := &tstore.EvalOptions{InPlace: inPlace}
		s := evalStore(t)
		storetest.Eval(t, s, "c = large + 1; d = c * 2", o)
		storetest.WantValues(t, s, "c", each(func(v float64) float64 { return v + 1 })...)
		storetest.WantValues(t, s, "d", each(func(v float64) float64 { return 2 * (v + 1) })...)
		storetest.Eval(t, s, "large *= 3", o)
		storetest.WantValues(t, s, "large", each(func(v float64) float64 { return 3 * v })...)
		storetest.Eval(t, s, "large[50000:] = 0", o)
		storetest.WantValues(t, s, "large", each(func(v float64) float64 {
			if v >= 50_000 {
				return 0
			}
			return 3 * v
		})...)
		storetest.Eval(t, s, "c = large; c[1:] = 5; c = c + 1", o)
		storetest.WantValues(t, s, "c[:3]", 1, 6, 6)
	}
}

// TestEvalDims hands axis names on where axes stay what they are.
func TestEvalDims(t *testing.T) {
	s := evalStore(t)
	for name, dims := range map[string][]string{"r": {"col"}, "m": {"row", "other"}, "n": {"row", ""}} {
		src := storetest.Source(t, 0, []int{3, 2}[2-len(dims):]...)
		src.Dims = dims
		storetest.Create(t, s, name, src)
	}
	storetest.Define(t, s, "lazy", "x + 1")
	for text, want := range map[string][]string{
		"sqrt(x*x + 1)":     {"row", "col"},
		"x + y":             {"row", "col"},
		"m*0 + r":           {"row", ""},
		"n + r":             {"row", "col"},
		"r*2":               {"col"},
		"x.astype(float32)": {"row", "col"},
		"lazy - x":          {"row", "col"},
		"y + 1":             nil,

		"x.T":                               {"col", "row"},
		"x.T.astype(int8) * 2":              {"col", "row"},
		"x[0] + r":                          {"col"},
		"x[::2, 1]":                         {"row"},
		"x[None] * 2":                       {"", "row", "col"},
		"x[:, newaxis, ::-1]":               {"row", "", "col"},
		"x[x[:, 0] > 0]":                    {"row", "col"},
		"x[[2, 0], 1]":                      {"row"},
		"x[[2, 0], [1, 1]]":                 nil,
		"x[x > 0]":                          nil,
		"x.reshape(-1)":                     nil,
		"x + x.T.reshape(3, 2)":             {"row", "col"},
		"x.sum(axis=0)":                     {"col"},
		"sum(x, axis=-1)":                   {"row"},
		"std(x, axis=1, keepdims=True)":     {"row", "col"},
		"x - x.mean(axis=0, keepdims=True)": {"row", "col"},
		"x.sum()":                           nil,
		"x.max(axis=(0, 1), keepdims=True)": {"row", "col"},
		"argmax(x, axis=0)":                 {"col"},
		"norm(x, axis=1)":                   {"row"},
		"lazy.min(axis=0) + 1":              {"col"},
		"x.T.sum(axis=0) * n[:, 0]":         {"row"},
		"x.T * m.T":                         {"", "row"},
		"m*0 + r + r":                       {"row", ""},
		"cumsum(x, axis=0)":                 {"row", "col"},
		"cumsum(x)":                         nil,
		"diff(x, axis=0)":                   {"row", "col"},
		"zeros_like(x)":                     {"row", "col"},
		"histogram(r)":                      nil,
		"bincount(r.astype(int64))":         nil,
		"where(x > 1, x, 0).swapaxes(0, 1)": {"col", "row"},
		"broadcast_to(r, (3, 2))":           {"", "col"},
		"x.unfold(0, 2, 1)":                 nil,
	} {
		storetest.Eval(t, s, "c = "+text, nil)
		info, err := s.Stat(t.Context(), "c")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, info.Record.Dims); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
		if err := s.Delete(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEvalResult(t *testing.T) {
	s := evalStore(t)
	r, err := s.Eval(t.Context(), "c = x; y += 1; x[0] = 1; x.sum(axis=0)", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sum := r.Outputs[3].Tensor
	r.Outputs[3].Tensor = nil
	want := []tstore.EvalOutput{
		{Target: "c", DType: dtype.Float64, Shape: []int{3, 2}, Dims: []string{"row", "col"}, Created: true},
		{Target: "y", DType: dtype.Float64, Shape: []int{2}},
		{Target: "x[0]", DType: dtype.Float64, Shape: []int{2}},
		{DType: dtype.Float64, Shape: []int{2}, Dims: []string{"col"}},
	}
	if diff := cmp.Diff(want, r.Outputs, cmpopts.IgnoreFields(tstore.EvalOutput{}, "Expr")); diff != "" {
		t.Error(diff)
	}
	if got := storetest.Elements(t, sum.Tensor); !slices.Equal(got, []float64{7, 9}) || !sum.Info.Copied {
		t.Errorf("sum: %v", got)
	}
	if err := sum.Close(); err != nil {
		t.Error(err)
	}
}

func TestEvalExpressions(t *testing.T) {
	s := evalStore(t)
	storetest.Create(t, s, "g/a", storetest.Source(t, 1, 2))
	tests := map[string]struct {
		text string
		o    *tstore.EvalOptions
		want []float64
	}{
		"sum":        {"x + y", nil, []float64{10, 12, 12, 14, 14, 16}},
		"slash":      {"`g/a` * 2", nil, []float64{2, 4}},
		"group":      {"a * 2", &tstore.EvalOptions{Group: "g"}, []float64{2, 4}},
		"group var":  {"a * k", &tstore.EvalOptions{Group: "g", Vars: map[string]dtype.Scalar{"k": dtype.ScalarOf(int64(3))}}, []float64{3, 6}},
		"index var":  {"large[k:k+2]", &tstore.EvalOptions{Vars: map[string]dtype.Scalar{"k": dtype.ScalarOf(int64(3))}}, []float64{3, 4}},
		"dtype":      {"y / 4", &tstore.EvalOptions{DType: dtype.Int8}, []float64{2, 2}},
		"one thread": {"(large * 2).sum()", &tstore.EvalOptions{Compute: compute.Options{Parallelism: 1}}, []float64{9_999_900_000}},
		"transposed": {"x.T", nil, []float64{0, 2, 4, 1, 3, 5}},
		"masked":     {"x[x > 2]", nil, []float64{3, 4, 5}},
		"edges":      {"large + 0", &tstore.EvalOptions{Edges: &view.PrintOptions{EdgeItems: 2, Threshold: 100_000}}, storetest.UpTo(100_000)},
		"edges, huge": {"(arange(10**18).reshape(1000000, 1000000, 1000000) + x[0, 1])[::-1]", &tstore.EvalOptions{Edges: &view.PrintOptions{EdgeItems: 1}},
			[]float64{999_999_000_000_000_001, 999_999_000_001_000_000, 999_999_999_999_000_001, 1e18, 1, 1e6, 999_999_000_001, 1e12}},
		"edges, few":  {"x + 1", &tstore.EvalOptions{Edges: &view.PrintOptions{EdgeItems: 1, Threshold: 3}}, []float64{1, 2, 5, 6}},
		"edges, sums": {"(x - x.mean())[:, 0]", &tstore.EvalOptions{Edges: &view.PrintOptions{EdgeItems: 1, Threshold: 1}}, []float64{-2.5, 1.5}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := evalBare(t, s, test.text, test.o); !slices.Equal(got, test.want) {
				t.Errorf("%s: got %v, want %v", test.text, got[:min(len(got), 20)], test.want[:min(len(test.want), 20)])
			}
		})
	}
}

func TestEvalExplain(t *testing.T) {
	s := evalStore(t)
	r, err := s.Eval(t.Context(), "c = x*x + 1; c[0] = 2", &tstore.EvalOptions{Explain: tstore.ExplainOnly})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"c", "float64", "predicted", "c[0] = 2"} {
		if !strings.Contains(r.Plan, want) {
			t.Errorf("the plan lacks %q:\n%s", want, r.Plan)
		}
	}
	if _, err := s.Lookup(t.Context(), "c"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("explaining made c: %v", err)
	}
	r, err = s.Eval(t.Context(), "x[0] += 2", &tstore.EvalOptions{Explain: tstore.ExplainMeasured})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Plan, "measured") {
		t.Errorf("nothing was measured:\n%s", r.Plan)
	}
	storetest.WantValues(t, s, "x[0]", 2, 3)
}

// TestEvalConflict changes a tensor while it is read to be replaced.
func TestEvalConflict(t *testing.T) {
	s := evalStore(t)
	once := false
	o := &tstore.EvalOptions{Compute: compute.Options{Progress: func(compute.Progress) {
		if !once {
			once = true
			if err := s.Fill(context.Background(), "large[0]", dtype.ScalarOf(7.0)); err != nil {
				t.Error(err)
			}
		}
	}}}
	_, err := s.Eval(t.Context(), "large = large + 1", o)
	if !once {
		t.Fatal("no progress was told")
	}
	if !errors.Is(err, tstore.ErrConflict) {
		t.Errorf("got %v, want ErrConflict", err)
	}
	storetest.WantValues(t, s, "large[:2]", 7, 1)
	storetest.WantNoLeftovers(t, s)
}

func TestEvalStatements(t *testing.T) {
	s := evalStore(t)
	e, err := s.Expr(t.Context(), "x[1:]")
	if err != nil {
		t.Fatal(err)
	}
	part, err := view.ParseMethods("[0]")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.EvalStatements(t.Context(), []compute.Statement{{Target: "a name, odd", Expr: e.Add(compute.Scalar(1))}, {Target: "y", Chain: part, Op: compute.SetMul, Expr: compute.Scalar(2)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	storetest.WantValues(t, s, "a name, odd", 3, 4, 5, 6)
	storetest.WantValues(t, s, "y", 20, 11)
}
