package work_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// operandStore has a (0 to 3), b (10 to 13), b-1 (one 7), g/x (0 to 5, of shape (2, 3)), mask of
// g/x, e (one 9), and the snapshot monday in which a is 100 to 103.
func operandStore(t *testing.T) *tstore.Store {
	t.Helper()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "a", storetest.Source(t, 100, 4))
	storetest.Must(t, errorOf(s.CreateSnapshot(t.Context(), "monday", "")))
	storetest.Must(t, s.Replace(t.Context(), "a", storetest.Source(t, 0, 4)))
	storetest.Create(t, s, "b", storetest.Source(t, 10, 4))
	storetest.Create(t, s, "b-1", storetest.Source(t, 7, 1))
	storetest.Create(t, s, "g/x", storetest.Source(t, 0, 2, 3))
	storetest.Create(t, s, "e", storetest.Source(t, 9, 1))
	storetest.Eval(t, s, "mask = `g/x` > 3", nil)
	storetest.Define(t, s, "lazy", "a * 2")
	return s
}

// TestOperand holds what texts stand for: names, selectors and expressions, the same in all that
// reads elements.
func TestOperand(t *testing.T) {
	s := operandStore(t)
	for text, want := range map[string][]float64{
		"b-1":                      {7}, // a name as it stands
		"b - 1":                    {9, 10, 11, 12},
		"b-1[0]":                   {7},
		"a-1":                      {-1, 0, 1, 2},
		" a ":                      {0, 1, 2, 3},
		"e":                        {9},
		"e[0]":                     {9},
		"a[1]":                     {1},
		"a[1] + 1":                 {2},
		"lazy":                     {0, 2, 4, 6},
		"lazy[::2]":                {0, 4},
		"lazy[::2] - a[0]":         {0, 4},
		"g/x":                      {0, 1, 2, 3, 4, 5},
		"g/x.mean()":               {2.5},
		"g/x.T[1:].sum(axis=0)":    {3, 9},
		"g/x[mask]":                {4, 5},
		"g/x[mask == False].sum()": {6},
		"`g/x` * 2":                {0, 2, 4, 6, 8, 10},
		"a@monday":                 {100, 101, 102, 103},
		"a@monday.max()":           {103},
		"a@monday[a > 101]":        {102, 103}, // a is that of the snapshot, too
		"`a@monday` - a":           {100, 100, 100, 100},
		"a@b":                      {74}, // there is no snapshot b
		"a[b>11]":                  {2, 3},
		"a[[0, 2]] + 1":            {1, 3},
		"1+2":                      {3},
		"arange(3)":                {0, 1, 2},
		"a[:0] + 1":                {},
	} {
		t.Run(text, func(t *testing.T) {
			x, err := s.Evaluate(t.Context(), text)
			storetest.Must(t, err)
			storetest.Must(t, err)
			got := blockBytes(t, x)
			if values := floats(t, x.Tensor); !slices.Equal(values, want) {
				t.Errorf("Evaluate: %v, want %v", values, want)
			}
			r, err := s.Read(t.Context(), text, nil)
			storetest.Must(t, err)
			info, err := s.StatEvaluated(t.Context(), text)
			storetest.Must(t, err)
			if !bytes.Equal(blockBytes(t, r), got) || !slices.Equal(info.Layout.Shape(), x.Shape()) || info.DType != x.DType() {
				t.Errorf("Read and StatEvaluated: other elements than Evaluate")
			}
			var out bytes.Buffer
			storetest.Must(t, s.Export(t.Context(), text, &out, func(_ context.Context, w io.Writer, x compute.Elements) error {
				_, err := w.Write(blockBytes(t, x))
				return err
			}))
			if !bytes.Equal(out.Bytes(), got) {
				t.Errorf("Export: other elements than Evaluate")
			}
			storetest.Must(t, s.Copy(t.Context(), "copy", text, &tstore.ImportOptions{Overwrite: true}))
			if copied, err := s.Evaluate(t.Context(), "copy"); err != nil || !bytes.Equal(blockBytes(t, copied), got) {
				t.Errorf("Copy: other elements than Evaluate, or %v", err)
			}
			expr, err := s.Expr(t.Context(), text)
			storetest.Must(t, err)
			made, err := s.EvalStatements(t.Context(), []compute.Statement{{Expr: expr}}, nil)
			storetest.Must(t, err)
			if !bytes.Equal(blockBytes(t, made.Outputs[0].Tensor.Tensor), got) {
				t.Errorf("Expr: other elements than Evaluate")
			}
			storetest.Must(t, errors.Join(r.Close(), x.Close(), made.Close()))
		})
	}
}

// TestOperandBesideNumbers has tensors whose names are numbers: in an expression they are numbers
// still, and no other mistake is told as a lack of back quotes.
func TestOperandBesideNumbers(t *testing.T) {
	s := operandStore(t)
	for _, name := range []string{"1", "0x10", "1e-3", "True", "2021-12"} {
		storetest.Create(t, s, name, storetest.Source(t, 50, 1))
	}
	for text, want := range map[string]float64{
		"1": 50, "2021-12": 50, "1[0]": 50, "`1` + 1": 51,
		"1+1": 2, "0*e": 0, "0x10+0": 16, "1e-3*1000": 1, "True+1": 2, "a.sum()+1": 7,
	} {
		x, err := s.Evaluate(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := floats(t, x.Tensor); !slices.Equal(got, []float64{want}) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
		storetest.Must(t, x.Close())
	}
	for text, says := range map[string]string{
		"nosuch+1": `position 0: look up "nosuch"`,
		"a+1 a":    "expected an operator or the end",
		"g/x+1":    "back quotes around the name `g/x`",
	} {
		err := errorOf(s.Evaluate(t.Context(), text))
		storetest.WantMentioned(t, err, says)
		if strings.Contains(err.Error(), "`1`") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestOperandChangedInTransaction reads an expression of what the transaction has changed: that is
// told, whatever follows the name.
func TestOperandChangedInTransaction(t *testing.T) {
	s := operandStore(t)
	for _, text := range []string{"a", "a + 1", "a.sum()", "a[b > 1]", "g/x.sum()"} {
		err := s.Update(t.Context(), func(tx *tstore.Tx) error {
			storetest.Must(t, errors.Join(tx.Delete("a"), tx.Delete("g/x")))
			return tx.Store().Copy(t.Context(), "copy", text, nil)
		})
		if err == nil {
			t.Fatalf("%s: read what the transaction has deleted", text)
		}
		storetest.WantMentioned(t, err, "is changed earlier in this transaction")
	}
}

// TestOperandErrors holds what is said of texts that are nothing.
func TestOperandErrors(t *testing.T) {
	s := operandStore(t)
	for text, tc := range map[string]struct {
		want error
		says string
	}{
		"nosuch":          {tstore.ErrNotFound, `"nosuch" not found`},
		"g/nosuch":        {tstore.ErrNotFound, `"g/nosuch" not found`},
		"b-2-nosuch":      {tstore.ErrNotFound, `"b-2-nosuch" not found`},
		"nosuch - 1":      {tstore.ErrNotFound, `position 0: look up "nosuch"`},
		"a - nosuch":      {tstore.ErrNotFound, `position 4: look up "nosuch"`},
		"my tensor":       {tstore.ErrNotFound, `"my tensor" not found`},
		"2021-12":         {tstore.ErrNotFound, `"2021-12" not found`},
		"g/nosuch.mean()": {tstore.ErrNotFound, `look up "g/nosuch"`},
		"a[nosuch]":       {tstore.ErrNotFound, `look up "nosuch"`},
		"a[nosuch > 1]":   {tstore.ErrNotFound, `look up "nosuch"`},
		"a@nosuch":        {tstore.ErrNotFound, `snapshot "nosuch"`},
		"g/x - 1":         {nil, "back quotes around the name `g/x`"},
		"(g/x + 1) * 2":   {nil, "back quotes around the name `g/x`"},
		"g/x[g/x > 3]":    {nil, "back quotes around the name `g/x`"},
		"a.mean(axis=0":   {nil, "position 13"},
		"g/x.mean(axis=0": {nil, "position 17"},
		"a -":             {nil, "position 3"},
		"(a":              {nil, "position 2"},
		"a[0":             {nil, "expected the ']'"},
		"a.frob()":        {nil, `selector "a.frob()"`},
		"":                {catalog.ErrBadName, "it is empty"},
		"a?":              {catalog.ErrBadName, "'?'"},
		"../a":            {catalog.ErrBadName, ".."},
		"`g/x` + nosuch":  {tstore.ErrNotFound, `look up "nosuch"`},
		"a@monday[c > 1]": {tstore.ErrNotFound, `look up "c@monday"`},
		"a@monday.sum(9)": {nil, "expression \"`a@monday`.sum(9)\""},
		"a + g":           {tstore.ErrNotFound, `look up "g"`},
		"a + b[:3]":       {nil, "shape"},
		"a[9]":            {nil, "out of bounds"},
	} {
		t.Run(text, func(t *testing.T) {
			_, err := s.Read(t.Context(), text, nil)
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
				t.Fatalf("Read: %v, want %v", err, tc.want)
			}
			storetest.WantMentioned(t, err, tc.says)
			if again := errorOf(s.Evaluate(t.Context(), text)); again == nil || again.Error() != err.Error() {
				t.Errorf("Evaluate: %v, Read: %v", again, err)
			}
		})
	}
}

// TestNoView asks for views of expressions.
func TestNoView(t *testing.T) {
	s := operandStore(t)
	v, err := view.FromSlice([]float64{1}, 1)
	storetest.Must(t, err)
	for text, missing := range map[string]bool{"a-1": true, "a - 1": true, "a.mean()": false, "a[b > 11]": false, "g/x.sum()": false} {
		for what, err := range map[string]error{
			"Get": errorOf(s.Get(t.Context(), text)), "Stat": errorOf(s.Stat(t.Context(), text)), "View": s.View(t.Context(), "v", text),
		} {
			if !errors.Is(err, view.ErrNeedsCopy) || errors.Is(err, tstore.ErrNotFound) != missing {
				t.Errorf("%s of %q: %v", what, text, err)
			}
			storetest.WantMentioned(t, err, "no view")
		}
		storetest.WantMentioned(t, s.View(t.Context(), "v", text), "tstore eval 'v = "+text+"'")
		if text == "a[b > 11]" {
			continue
		}
		for what, err := range map[string]error{
			"Set": s.Set(t.Context(), text, v), "Fill": s.Fill(t.Context(), text, storetest.Scalar(t, 1)), "StatTarget": errorOf(s.StatTarget(t.Context(), text)),
			"OpenWritable": errorOf(s.OpenWritable(t.Context(), text)),
		} {
			if what == "OpenWritable" && missing {
				continue // it says that there is no such name
			}
			if !errors.Is(err, view.ErrNeedsCopy) {
				t.Errorf("%s of %q: %v", what, text, err)
			}
			storetest.WantMentioned(t, err, "cannot be written")
		}
	}
	if err := errorOf(s.Get(t.Context(), "nosuch+name")); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("Get of a missing name with a plus: %v", err)
	}
	storetest.WantValues(t, s, "a", 0, 1, 2, 3)
}

// TestReadExpression reads what is larger than is computed when it is opened: piece by piece, and
// of one state.
func TestReadExpression(t *testing.T) {
	s := evalStore(t)
	const text = "large.reshape(-1, 1) + y"
	r, err := s.Read(t.Context(), text, nil)
	storetest.Must(t, err)
	if _, streamed := r.Elements.(*compute.Stream); !streamed {
		t.Errorf("%s is read from a %T", text, r.Elements)
	}
	if r.Info.Record.Name != "" || r.Info.Selector.String() != "" || !r.Info.Copied || !slices.Equal(r.Info.Layout.Shape(), []int{100_000, 2}) {
		t.Errorf("it is described as %+v", r.Info)
	}
	src := r.Source()
	all, err := io.ReadAll(src.Data)
	storetest.Must(t, err)
	if want, err := s.Evaluate(t.Context(), text); err != nil || !bytes.Equal(all, blockBytes(t, want)) {
		t.Errorf("Source has other elements than Evaluate, or %v", err)
	}
	storetest.Must(t, r.Unchanged())
	storetest.Must(t, s.Fill(t.Context(), "y", storetest.Scalar(t, 3)))
	if err := r.Unchanged(); !errors.Is(err, tstore.ErrConflict) {
		t.Errorf("an operand was changed: %v", err)
	}
	storetest.Must(t, r.Close())

	// A Source that nobody reads to its end leaves nothing behind.
	r, err = s.Read(t.Context(), text, nil)
	storetest.Must(t, err)
	_, err = r.Source().Data.Read(make([]byte, 10))
	storetest.Must(t, errors.Join(err, r.Close()))
}

// TestReadExpressionReadOnly computes on a store that can't be written.
func TestReadExpressionReadOnly(t *testing.T) {
	s := evalStore(t)
	dir := s.Dir()
	storetest.Must(t, s.Close())
	s, err := tstore.Open(t.Context(), dir, &tstore.Options{ReadOnly: true})
	storetest.Must(t, err)
	defer s.Close()
	if got := evaluated(t, s, "x.sum(axis=0) - y"); !slices.Equal(got, []float64{-4, -2}) {
		t.Errorf("computed %v", got)
	}
	if err := s.Copy(t.Context(), "c", "x + 1", nil); !errors.Is(err, tstore.ErrReadOnly) {
		t.Errorf("Copy: %v", err)
	}
}

// TestCopyExpression copies what is computed.
func TestCopyExpression(t *testing.T) {
	s := evalStore(t)
	storetest.Must(t, s.Copy(t.Context(), "c", "x - 1", &tstore.ImportOptions{Journal: tstore.Journal{Must: true}}))
	storetest.WantValues(t, s, "c", -1, 0, 1, 2, 3, 4)
	if info := storetest.Stat(t, s, "c"); !slices.Equal(info.Dims(), []string{"row", "col"}) || len(info.Record.Attrs) > 0 {
		t.Errorf("the copy has dims %q, attributes %v", info.Dims(), info.Record.Attrs)
	}
	if err := s.Copy(t.Context(), "c", "x + 1", nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("a second copy: %v", err)
	}
	storetest.Must(t, s.Copy(t.Context(), "c", "c * 2", &tstore.ImportOptions{Overwrite: true}))
	storetest.WantValues(t, s, "c", -2, 0, 2, 4, 6, 8)
	storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error { return tx.Store().Copy(t.Context(), "d", "y.sum()", nil) }))
	storetest.WantValues(t, s, "d", 21)
}

// TestNamesBesideComputedItems changes what an index picks in which one item is computed: an item
// beside it that names a tensor as it stands is that tensor.
func TestNamesBesideComputedItems(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	for name, values := range map[string][]int64{"i": {0, 1, 2}, "a": {1, 2}, "a-1": {2, 2}, "lat/idx": {1, 2}, "2-1": {2}} {
		src, err := tstore.FromSlice(values, len(values))
		storetest.Must(t, err)
		storetest.Create(t, s, name, src)
	}

	for sel, want := range map[string][]float64{
		"x[a-1, i > 0]":      {0, 0, 0, 0, 0, 0, 0, 7, 7},
		"x[a-1, i>0]":        {0, 0, 0, 0, 0, 0, 0, 7, 7},
		"x[lat/idx, i > 0]":  {0, 0, 0, 0, 7, 0, 0, 0, 7},
		"x[lat/idx, abs(a)]": {0, 0, 0, 0, 7, 0, 0, 0, 7},
		"x[2-1]":             {0, 0, 0, 0, 0, 0, 7, 7, 7},
		"x[[1+1]]":           {0, 0, 0, 0, 0, 0, 7, 7, 7},
	} {
		storetest.Must(t, s.Import(t.Context(), "x", storetest.Source(t, 0, 3, 3), &tstore.ImportOptions{Overwrite: true, NoSeal: true}))
		storetest.Must(t, s.Fill(t.Context(), "x", storetest.Scalar(t, 0)))
		if err := s.Fill(t.Context(), sel, storetest.Scalar(t, 7)); err != nil {
			t.Errorf("%s: %v", sel, err)
			continue
		}
		if got := storetest.Values(t, s, "x"); !slices.Equal(got, want) {
			t.Errorf("fill %s 7: got %v, want %v", sel, got, want)
		}
	}
}

// TestPickComputed changes what masks and index arrays pick that are computed.
func TestPickComputed(t *testing.T) {
	s := evalStore(t)
	five, err := view.FromSlice([]float64{50, 51}, 2)
	storetest.Must(t, err)
	storetest.Must(t, s.Fill(t.Context(), "x[x > 3]", storetest.Scalar(t, -1)))
	storetest.WantValues(t, s, "x", 0, 1, 2, 3, -1, -1)
	storetest.Must(t, s.Fill(t.Context(), "x[x[:, 0]==2, 0]", storetest.Scalar(t, 7)))
	storetest.Must(t, s.Fill(t.Context(), "x[1:][[0], where(y > 10, 1, 1)]", storetest.Scalar(t, 8)))
	storetest.WantValues(t, s, "x", 0, 1, 7, 8, -1, -1)
	storetest.Must(t, s.Set(t.Context(), "x[x < 0]", five))
	storetest.WantValues(t, s, "v", 0, 1, 50, 51)
	if err := s.Fill(t.Context(), "x[nosuch > 1]", storetest.Scalar(t, 1)); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("a mask of what is not there: %v", err)
	}
	if err := s.Fill(t.Context(), "x[x * 1.5]", storetest.Scalar(t, 1)); err == nil {
		t.Error("floats are taken for indexes")
	}
	storetest.WantValues(t, s, "x", 0, 1, 7, 8, 50, 51)
}

// errorOf is the error of a call that returns something else, too.
func errorOf[T any](_ T, err error) error { return err }

// floats are the elements of x as float64.
func floats(t *testing.T, x *view.Tensor) []float64 {
	t.Helper()
	values := []float64{}
	size := x.DType().Size()
	for b := blockBytes(t, x); len(b) > 0; b = b[size:] {
		values = append(values, dtype.Load(x.DType(), b).Float64())
	}
	return values
}

// FuzzOperand reads texts as what is read and as what is changed, and computes nothing.
func FuzzOperand(f *testing.F) {
	for _, text := range []string{"a", "a-1", "g/x.mean()", "a[b > 11]", "a@b", "a[,]", "a[(0, 1)], b]", "x[\"]", "e[0] * 2", "g/x - 1", "a.b.c.d(", "-a", "]"} {
		f.Add(text)
	}
	s := storetest.NewStore(f)
	storetest.Create(f, s, "a", storetest.Source(f, 0, 4))
	storetest.Create(f, s, "g/x", storetest.Source(f, 0, 2, 3))
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := s.Expr(t.Context(), text); err == nil && e.String() == "" {
			t.Errorf("%q is nothing, and no error", text)
		}
		_, _ = s.StatTarget(t.Context(), text)
		_, _ = s.Stat(t.Context(), text)
	})
}

// TestOperandComesMeanwhile creates a tensor at each moment of a change of a part of it, which finds
// the tensor or says that it is missing.
func TestOperandComesMeanwhile(t *testing.T) {
	s := storetest.NewStore(t)
	other := storetest.Impatient(t, s.Dir(), time.Millisecond)
	create := func() error { return other.Create(t.Context(), "x", storetest.Source(t, 0, 4)) }
	storetest.AtEachMoment(t, create, func(ctx context.Context, _ func() bool) {
		err := s.Fill(ctx, "x[:3]", dtype.ScalarOf(1.0))
		if err != nil && (!errors.Is(err, tstore.ErrNotFound) || !strings.Contains(err.Error(), `"x" not found`)) {
			t.Error(err)
		}
		if there, _ := s.Suggest(t.Context(), "x", 1); len(there) > 0 {
			storetest.Must(t, s.Delete(t.Context(), "x"))
		}
	})
}
