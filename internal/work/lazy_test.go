package work_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func evaluated(t testing.TB, s *tstore.Store, sel string) []float64 {
	t.Helper()
	x, err := s.Evaluate(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	return storetest.Elements(t, x.Tensor)
}

func wantEvaluated(t testing.TB, s *tstore.Store, sel string, want ...float64) {
	t.Helper()
	if got := evaluated(t, s, sel); !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", sel, got, want)
	}
}

func TestDefine(t *testing.T) {
	s := evalStore(t)
	storetest.Define(t, s, "sum", " x + y ")
	e, err := s.Lookup(t.Context(), "sum")
	if err != nil {
		t.Fatal(err)
	}
	r := e.Record
	if r.Kind != catalog.KindLazy || r.Formula.Text != "x + y" || r.DType != dtype.Float64 || !slices.Equal(r.Shape, []int64{3, 2}) {
		t.Errorf("record: %+v", r)
	}
	wantEvaluated(t, s, "sum", 10, 12, 12, 14, 14, 16)
	wantEvaluated(t, s, "sum[1:, 0]", 12, 14)
	wantEvaluated(t, s, "sum.T[0]", 10, 12, 14)
	storetest.Eval(t, s, "mask = sum > 12", nil)
	wantEvaluated(t, s, "sum[mask]", 14, 14, 16)

	// It follows its inputs.
	storetest.Eval(t, s, "y = y * 0", nil)
	wantEvaluated(t, s, "sum", storetest.UpTo(6)...)
	storetest.Eval(t, s, "x = x[0]", nil)
	wantEvaluated(t, s, "sum", 0, 1)

	// It stands in other expressions.
	storetest.Define(t, s, "twice", "2 * sum")
	wantEvaluated(t, s, "twice", 0, 2)
	storetest.Eval(t, s, "c = twice + sum", nil)
	storetest.WantValues(t, s, "c", 0, 3)
	if got, err := s.Summary(t.Context()); err != nil || got.Lazy != 2 {
		t.Errorf("summary: %+v, %v", got, err)
	}
}

func TestLazyStat(t *testing.T) {
	s := evalStore(t)
	if err := s.Define(t.Context(), "sum", "x + y", &tstore.DefineOptions{Dims: []string{"row", "col"}, Attrs: map[string]catalog.Value{"n": catalog.IntValue(1)}}); err != nil {
		t.Fatal(err)
	}
	info, err := s.StatEvaluated(t.Context(), "sum[:, ::-1]")
	if err != nil {
		t.Fatal(err)
	}
	if !info.Copied || info.DType != dtype.Float64 || !slices.Equal(info.Layout.Shape(), []int{3, 2}) {
		t.Errorf("info: %+v", info)
	}
	if diff := cmp.Diff([]string{"row", "col"}, info.Dims()); diff != "" {
		t.Error(diff)
	}
	for name, do := range map[string]func(sel string) error{
		"get":     func(sel string) error { _, err := s.Get(t.Context(), sel); return err },
		"stat":    func(sel string) error { _, err := s.Stat(t.Context(), sel); return err },
		"fill":    func(sel string) error { return s.Fill(t.Context(), sel, dtype.ScalarOf(1.0)) },
		"view":    func(sel string) error { return s.View(t.Context(), "new", sel) },
		"append":  func(string) error { return s.Append(t.Context(), "sum", storetest.Source(t, 0, 1, 2)) },
		"resize":  func(string) error { return s.Resize(t.Context(), "sum", 1, 1) },
		"replace": func(string) error { return s.Replace(t.Context(), "sum", storetest.Source(t, 0, 1)) },
		"write":   func(sel string) error { _, err := s.OpenWritable(t.Context(), sel); return err },
	} {
		if err := do("sum[0]"); !errors.Is(err, tstore.ErrLazy) || !errors.Is(err, tstore.ErrWrongKind) {
			t.Errorf("%s: got %v, want ErrLazy", name, err)
		}
	}
	if _, err := s.Blob(t.Context(), "sum"); !errors.Is(err, tstore.ErrWrongKind) {
		t.Errorf("blob: %v", err)
	}
	if err := s.PutBlob(t.Context(), "sum", catalog.IntValue(1)); !errors.Is(err, tstore.ErrWrongKind) {
		t.Errorf("put blob: %v", err)
	}
}

func TestDefineErrors(t *testing.T) {
	s := evalStore(t)
	storetest.Define(t, s, "a", "x + 1")
	storetest.Define(t, s, "b", "a + 1")
	storetest.Define(t, s, "types", "x.astype(float32).sum(dtype=float64)")
	replace := &tstore.DefineOptions{Replace: true}
	tests := map[string]struct {
		name, text string
		o          *tstore.DefineOptions
		is         error
		want       string
	}{
		"taken":        {"a", "x", nil, tstore.ErrExists, ""},
		"tensor":       {"x", "y", nil, tstore.ErrExists, ""},
		"tensor, too":  {"x", "y", replace, tstore.ErrWrongKind, "tensor"},
		"syntax":       {"c", "x +", nil, nil, "position"},
		"program":      {"c", "d = x", nil, nil, ""},
		"missing":      {"c", "x + nosuch", nil, tstore.ErrNotFound, "nosuch"},
		"itself":       {"c", "c + 1", nil, nil, ""},
		"itself, far":  {"a", "b + 1", replace, nil, "itself"},
		"shapes":       {"c", "x + large", nil, nil, "shape"},
		"bad name":     {"c[0]", "x", nil, catalog.ErrBadName, ""},
		"too long":     {"c", "x" + strings.Repeat(" + 1", 20_000), nil, nil, ""},
		"dims":         {"c", "x", &tstore.DefineOptions{Dims: []string{"a"}}, catalog.ErrInvalid, "1 dimension names for 2 axes"},
		"in a tensor":  {"x/c", "y", nil, catalog.ErrConflict, ""},
		"an empty one": {"c", "", nil, nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := s.Define(t.Context(), test.name, test.text, test.o)
			if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %v %q", err, test.is, test.want)
			}
		})
	}
	wantEvaluated(t, s, "b[0]", 2, 3)
	if err := s.Define(t.Context(), "a", "x + 2", replace); err != nil {
		t.Fatal(err)
	}
	wantEvaluated(t, s, "b[0]", 3, 4)
}

// TestLazyInputs moves, removes and turns round what lazy names read.
func TestLazyInputs(t *testing.T) {
	s := evalStore(t)
	storetest.Define(t, s, "a", "x + 1")
	storetest.Define(t, s, "b", "a + y")
	if err := s.Rename(t.Context(), "y", "z"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Evaluate(t.Context(), "b"); !errors.Is(err, tstore.ErrNotFound) || !strings.Contains(err.Error(), `"y"`) {
		t.Errorf("evaluate: %v", err)
	}
	f, err := s.Formula(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	want := &tstore.Formula{Text: "a + y", Inputs: []tstore.FormulaInput{
		{Name: "a", Then: 1, Now: 1, State: tstore.InputSame}, {Name: "y", Then: 1, State: tstore.InputMissing},
	}}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	// A circle that renaming makes is an error, and no endless loop.
	if err := errors.Join(s.Rename(t.Context(), "x", "w"), s.Rename(t.Context(), "b", "x")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Evaluate(t.Context(), "a"); err == nil {
		t.Error("a circle was evaluated")
	}
	if err := s.Delete(t.Context(), "a", "x"); err != nil {
		t.Error(err)
	}
}

func TestLazyCopies(t *testing.T) {
	s := evalStore(t)
	if err := s.Define(t.Context(), "sum", "x + large[:2]", &tstore.DefineOptions{Dims: []string{"row", "col"}, Attrs: map[string]catalog.Value{"n": catalog.IntValue(1)}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(t.Context(), "copy", "sum[1:]", nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "copy", 2, 4, 4, 6)
	info, err := s.Stat(t.Context(), "copy")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := info.Record.Attrs["n"].Int(); err != nil || n != 1 || !slices.Equal(info.Record.Dims, []string{"row", "col"}) || !info.Record.Formula.IsZero() {
		t.Errorf("copy: %+v", info.Record)
	}
	if err := s.Copy(t.Context(), "copy", "sum", nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("again: %v", err)
	}
	if err := s.Copy(t.Context(), "copy", "sum.T", &tstore.ImportOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "copy", 0, 2, 4, 2, 4, 6)
	var out bytes.Buffer
	encode := func(_ context.Context, w io.Writer, x compute.Elements) error {
		return x.Blocks(0, func(b []byte) error {
			_, err := w.Write(b)
			return err
		})
	}
	if err := s.Export(t.Context(), "sum[0]", &out, encode); err != nil || out.Len() != 16 {
		t.Errorf("export: %d bytes, %v", out.Len(), err)
	}
}
