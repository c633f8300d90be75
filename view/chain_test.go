package view_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func TestParseMethodsWritesOneForm(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{" ", ""},
		{".T", ".T"},
		{" . T [ 0 , 1: ] . mT", ".T[0, 1:].mT"},
		{"[]", "error"},
		{"[()]", "[()]"},
		{".reshape(4,-1)", ".reshape(4, -1)"},
		{".reshape((4,-1,))", ".reshape(4, -1)"},
		{".reshape([4, -1])", ".reshape(4, -1)"},
		{".reshape(shape=(4, -1))", ".reshape(4, -1)"},
		{".reshape(())", ".reshape(())"},
		{".view(2, 3)", ".view(2, 3)"},
		{".view(int16)", ".view(int16)"},
		{".view('<i2')", ".view(int16)"},
		{`.view("f4")`, ".view(float32)"},
		{".view(np.int16).view(dtype=torch.float16)", ".view(int16).view(float16)"},
		{".transpose()", ".transpose()"},
		{".transpose(None)", ".transpose()"},
		{".squeeze(axis=(0, 2))", ".squeeze(0, 2)"},
		{".squeeze(())", ".squeeze(())"},
		{".rot90(axes=(1, 0))", ".rot90(axes=(1, 0))"},
		{".rot90(-1, [1, 0])", ".rot90(-1, (1, 0))"},
		{".diagonal(axis2=0, offset=+1)", ".diagonal(1, axis2=0)"},
		{".diagonal(dim1=1)", ".diagonal(axis1=1)"},
		{".moveaxis(0, (-1,))", ".moveaxis(0, (-1,))"},
		{"[[1, 5, 7], ::2]", "[[1, 5, 7], ::2]"},
		{`["a]b", mask, a/b]`, "[`a]b`, mask, `a/b`]"},
		{"[`a]b`, e]", "[`a]b`, `e`]"},
		{".take([1, 2], axis=0).take(3)", ".take((1, 2), 0).take(3)"},
		{".astype(bfloat16).copy()", ".astype(bfloat16).copy()"},
	}
	for _, tt := range tests {
		got := "error"
		if c, err := view.ParseMethods(tt.text); err == nil {
			got = c.String()
		}
		if got != tt.want {
			t.Errorf("%q became %q, expected %q", tt.text, got, tt.want)
		}
		if tt.want == "error" {
			continue
		}
		if again, err := view.ParseMethods(got); err != nil || again.String() != got {
			t.Errorf("%q became %q, %v", got, again, err)
		}
	}
}

func TestParseMethodsErrors(t *testing.T) {
	tests := []struct {
		text string
		pos  int
		want string
	}{
		{"T", 0, "expected '.' and a method, or '[' and an index, found 'T'"},
		{".", 1, "expected the name of a method, found the end"},
		{".foo", 1, `there is no method "foo", but T, astype`},
		{".T()", 2, "T is an attribute: expected no parentheses"},
		{".reshape", 8, "reshape is a method: expected '(', found the end"},
		{".reshape(", 9, "expected an integer, found the end"},
		{".reshape()", 10, "reshape lacks its argument shape"},
		{".reshape(2", 10, "expected ',' or ')', found the end"},
		{".reshape(2,x)", 11, "reshape takes no more than 1 arguments"},
		{".reshape(2.5)", 10, "a number goes on with '.'"},
		{".reshape(99999999999999999999)", 9, "an integer must fit in 64 bits"},
		{".reshape((2,3)", 14, "expected ',' or ')', found the end"},
		{".reshape((2 3))", 12, `expected ',' or ")", found '3'`},
		{".swapaxes(0)", 12, "swapaxes lacks its argument axis2"},
		{".swapaxes(0, 1, 2)", 16, "swapaxes takes no more than 2 arguments"},
		{".swapaxes(axis1=0, 1)", 19, "an argument by position after one by name"},
		{".swapaxes(0, axis1=1)", 13, "swapaxes has argument axis1 twice"},
		{".swapaxes(0, axis=1)", 13, `swapaxes has no argument "axis"`},
		{".swapaxes((0, 1), 1)", 10, "expected an integer, found '('"},
		{".view(flot32)", 6, "flot32"},
		{".view('f4)", 6, "expected a closing quote"},
		{".T[0, 1:2:3:4]", 11, "expected ',' or the end, found ':'"},
		{".T[[1, x]]", 7, "expected an integer, True, False or a list, found 'x'"},
		{".T[0", 4, "expected the ']' of the '[' at position 2, found the end"},
	}
	for _, tt := range tests {
		_, err := view.ParseMethods(tt.text)
		var syntax *view.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %v, expected a SyntaxError", tt.text, err)
			continue
		}
		if syntax.Pos != tt.pos {
			t.Errorf("%q: position %d, expected %d", tt.text, syntax.Pos, tt.pos)
		}
		checkError(t, err, tt.want)
	}
}

func TestParseMethodsLimits(t *testing.T) {
	long := bytes.Repeat([]byte(".T"), 65)
	_, err := view.ParseMethods(string(long))
	checkError(t, err, "more than 64 steps")
	_, err = view.ParseMethods(string(bytes.Repeat([]byte(" "), 1<<17)))
	checkError(t, err, "131072 bytes long, more than 65536")
	ones := bytes.Repeat([]byte("1,"), 1025)
	for _, text := range []string{".reshape(%s)", ".reshape((%s))"} {
		_, err = view.ParseMethods(fmt.Sprintf(text, ones))
		checkError(t, err, "more than 1024 integers")
	}
}

func TestCutMethods(t *testing.T) {
	tests := []struct{ text, name, methods string }{
		{"x", "x", ""},
		{"x[0]", "x", "[0]"},
		{"a/b.T", "a/b", ".T"},
		{"a.b.T[0].x", "a.b", ".T[0].x"},
		{"v1.Total", "v1.Total", ""},
		{"x.T.npy", "x", ".T.npy"},
		{"x.reshape", "x.reshape", ""},
		{"x.reshape(2)", "x", ".reshape(2)"},
		{"x.real", "x", ".real"},
		{"x.frob(2)", "x", ".frob(2)"},
		{"a.T/b-c", "a.T/b-c", ""},
		{"sqrt(x.T)", "sqrt(x.T)", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		name, methods := view.CutMethods(tt.text)
		if diff := cmp.Diff([]string{tt.name, tt.methods}, []string{name, methods}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// evalFixture returns the numbers from 0 to 11 as a matrix, and a lookup that knows "rows" and
// "mask".
func evalFixture(t *testing.T) (*view.Tensor, func(string) (*view.Tensor, error)) {
	t.Helper()
	x, err := view.FromSlice([]int16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := view.FromSlice([]int64{2, 0})
	if err != nil {
		t.Fatal(err)
	}
	mask, err := view.FromSlice([]bool{false, true, true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close(); rows.Close(); mask.Close() })
	return x, func(name string) (*view.Tensor, error) {
		switch name {
		case "rows":
			return rows, nil
		case "mask":
			return mask, nil
		}
		return nil, fmt.Errorf("no tensor %q", name)
	}
}

func TestEval(t *testing.T) {
	x, lookup := evalFixture(t)
	tests := []struct {
		text   string
		want   string
		copies int
	}{
		{"", "[[ 0  1  2  3]\n [ 4  5  6  7]\n [ 8  9 10 11]]", 0},
		{".T[::-1, 1]", "[7 6 5 4]", 0},
		{".T.reshape(2, 6)", "[[ 0  4  8  1  5  9]\n [ 2  6 10  3  7 11]]", 1},
		{"[rows, ::2]", "[[ 8 10]\n [ 0  2]]", 1},
		{"[mask].T", "[[ 4  8]\n [ 5  9]\n [ 6 10]\n [ 7 11]]", 1},
		{"[[0, 2], [1, 1]].reshape(2, 1)", "[[1]\n [9]]", 1},
		{".astype(float32)[1]", "[4. 5. 6. 7.]", 1},
		{".astype(int16)[1]", "[4 5 6 7]", 0}, // NumPy copies these two
		{"[1:, 2:].T[0].flatten()", "[ 6 10]", 0},
		{"[1].copy().T.clone().contiguous()", "[4 5 6 7]", 2},
		{".T.contiguous()[0]", "[0 4 8]", 1},
		{"[:, 1].copy().view(int32)", "error", 1},
		{"[:, 1:3].view(int32)", "[[131073]\n [393221]\n [655369]]", 1},
		{".take([3, -1])", "[ 3 11]", 1},
		{".take(3, axis=1)", "[ 3  7 11]", 1},
		{"[0].repeat(2)", "[0 0 1 1 2 2 3 3]", 1},
		{"[0].repeat([0, 1, 0, 2])", "[1 3 3]", 1},
		{"[0, :2].tile(2, 2)", "[[0 1 0 1]\n [0 1 0 1]]", 1},
		{".roll(1, axis=0)", "[[ 8  9 10 11]\n [ 0  1  2  3]\n [ 4  5  6  7]]", 1},
		{".roll(-1)[0]", "[1 2 3 4]", 1},
		{"[other]", "error", 0},
		{"[[0, 3]]", "error", 0},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			c, err := view.ParseMethods(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			copies := 0
			alloc := func(size int64) (*mmapstore.Storage, error) {
				copies++
				return mmapstore.New(size)
			}
			got, err := c.Eval(t.Context(), x, &view.EvalOptions{Lookup: lookup, New: alloc})
			if err != nil {
				if tt.want != "error" {
					t.Fatal(err)
				}
				return
			}
			defer got.Close()
			var text bytes.Buffer
			if err := view.Fprint(&text, got, nil); err != nil {
				t.Fatal(err)
			}
			if text.String() != tt.want || copies != tt.copies {
				t.Errorf("%d copies and\n%s\nexpected %d and\n%s", copies, &text, tt.copies, tt.want)
			}
			_, _, err = c.Apply(x.Layout(), x.DType())
			if errors.Is(err, view.ErrNeedsCopy) != (copies > 0) {
				t.Errorf("Apply: %v, for a chain of %d copies", err, copies)
			}
		})
	}
}

func TestEvalOwnsItsResult(t *testing.T) {
	for _, text := range []string{"", ".T[0]", ".T.ravel()", ".copy().T"} {
		x, err := view.FromSlice([]float64{1, 2, 3, 4}, 2, 2)
		if err != nil {
			t.Fatal(err)
		}
		c, err := view.ParseMethods(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Eval(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
		if v, err := got.Index(view.Index{view.Ellipsis(), view.At(0)}); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if _, err := v.Reader().Read(make([]byte, 8)); err != nil {
			t.Errorf("%q: after the origin was closed: %v", text, err)
		}
		got.Close()
		if _, err := got.Reader().Read(make([]byte, 8)); !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("%q: after Close: %v", text, err)
		}
		if _, err := c.Eval(t.Context(), x, nil); !errors.Is(err, mmapstore.ErrClosed) {
			t.Errorf("%q of a closed tensor: %v", text, err)
		}
	}
}

// A failing allocation ends an evaluation with its error and no leak.
func TestEvalFailsWithItsAllocator(t *testing.T) {
	x, _ := evalFixture(t)
	c, err := view.ParseMethods(".T.ravel().broadcast_to(1000000000, 12).copy()")
	if err != nil {
		t.Fatal(err)
	}
	errLimit := errors.New("limit")
	_, err = c.Eval(t.Context(), x, &view.EvalOptions{New: func(size int64) (*mmapstore.Storage, error) {
		if size > 1<<20 {
			return nil, errLimit
		}
		return mmapstore.New(size)
	}})
	if !errors.Is(err, errLimit) {
		t.Errorf("%v, expected the error of the allocator", err)
	}
	checkError(t, err, `step 4, ".copy()"`)
}

func TestApplyErrorsNameTheStep(t *testing.T) {
	l := mustMake(t, []int{3, 4}, []int{4, 1}, 0)
	tests := []struct {
		text, want string
		is         func(error) bool
	}{
		{".T.T[3]", `step 3, "[3]": index 3 is out of bounds`, as[*view.IndexError]},
		{".flip(2)", `flip: axis 2 is out of bounds`, as[*view.AxisError]},
		{".T.ravel()", `step 2, ".ravel()": reshape`, isNeedsCopy},
		{"[[0]]", `advanced indexing: needs a copy`, isNeedsCopy},
		{".imag", "wanted complex64 or complex128", as[*view.DTypeError]},
		{".broadcast_to(2, 4)", "shape (3, 4) does not fit shape (2, 4)", as[*view.ShapeError]},
	}
	for _, tt := range tests {
		c, err := view.ParseMethods(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = c.Apply(l, dtype.Float32)
		checkError(t, err, tt.want)
		if !tt.is(err) {
			t.Errorf("%s: %v is of another kind", tt.text, err)
		}
	}
}

func as[E error](err error) bool {
	var target E
	return errors.As(err, &target)
}

func isNeedsCopy(err error) bool { return errors.Is(err, view.ErrNeedsCopy) }

// Whatever is parsed prints as text that parses to the same, and its use is a layout inside the
// storage or an error.
func FuzzParseMethods(f *testing.F) {
	for _, text := range []string{
		"", ".T[::-1].reshape(4,-1)", ".transpose((2,0,1)).mT.squeeze(axis=None)", `[[1, 2], "a]b", mask].view('<i2')`,
		".rot90(k=-1, axes=[0, 1]).diagonal(1).real.unfold(0, 2, step=1)", ".astype(np.float32).take([1], 0)", ".flatten(0, 1)[0",
	} {
		f.Add(text)
	}
	l := mustMake(f, []int{5, 1, 4, 6}, []int{-48, 7, 12, 1}, 300)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := view.ParseMethods(text)
		if err != nil {
			if !as[*view.SyntaxError](err) {
				t.Fatalf("%q: %v is no SyntaxError", text, err)
			}
			return
		}
		again, err := view.ParseMethods(c.String())
		if err != nil || again.String() != c.String() || len(again) != len(c) {
			t.Fatalf("%q became %q became %q, %v", text, c, again, err)
		}
		out, dt, err := c.Apply(l, dtype.Complex64)
		if err != nil {
			return
		}
		if _, err := view.MakeLayout(out.Shape(), out.Strides(), out.Offset()); err != nil {
			t.Fatalf("%q: %s: %v", text, out, err)
		}
		lo, hi := l.Bounds()
		if start, end := out.Bounds(); out.NumElems() > 0 && (start*dt.Size() < lo*8 || end*dt.Size() > hi*8) {
			t.Fatalf("%q: %s of %s reaches outside of %s", text, out, dt, l)
		}
	})
}

// TestChainAxes follows axes through chains.
func TestChainAxes(t *testing.T) {
	tests := []struct {
		chain string
		want  []int // nil if the chain is no view of every array
	}{
		{"", []int{0, 1, 2}},
		{"[1]", []int{1, 2}},
		{"[::-2, None, 3:]", []int{0, -1, 1, 2}},
		{".T[..., 0]", []int{2, 1}},
		{".diagonal(0, 0, 1)", []int{2, -1}},
		{".unfold(2, 2, 1)", []int{0, 1, 2, 2}},
		{".broadcast_to(7, 4, 5, 6)", []int{-1, 0, 1, 2}},
		{".reshape(-1)", nil},
		{"[[0, 1]]", nil},
		{"[9]", nil},
	}
	for _, tt := range tests {
		chain, err := view.ParseMethods(tt.chain)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := chain.Axes([]int{4, 5, 6}, dtype.Float32)
		if ok != (tt.want != nil) || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, %v, want %v", tt.chain, got, ok, tt.want)
		}
	}
	if _, ok := (view.Chain{}).Axes(make([]int, view.MaxRank+1), dtype.Int8); ok {
		t.Error("a shape of too many axes was taken")
	}
}
