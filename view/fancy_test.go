package view_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// namedTensors returns a lookup of a few tensors.
func namedTensors(t testing.TB) func(string) (*view.Tensor, error) {
	tensors := map[string]*view.Tensor{
		"idx":          fromSlice(t, []int32{2, 0, 1}),
		"mask":         fromSlice(t, []bool{true, false, true, true}),
		"weather/rain": fromSlice(t, []float32{0, 1}),
		"by day, fast": fromSlice(t, []uint8{1}),
		"True":         fromSlice(t, []int8{0}),
	}
	return func(name string) (*view.Tensor, error) {
		x, ok := tensors[name]
		if !ok {
			return nil, errors.New("no such tensor")
		}
		return x, nil
	}
}

func TestParseFancy(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "error"},
		{"()", "()"},
		{"1:9:2, ..., newaxis, -1", "1:9:2, ..., newaxis, -1"},
		{"[1,5 , 7 ,]", "[1, 5, 7]"},
		{"[]", "[]"},
		{"[[],[]]", "[[], []]"},
		{"[[0,1],[2,3]], :", "[[0, 1], [2, 3]], :"},
		{"[True, False]", "[True, False]"},
		{"True, idx", "True, idx"},
		{"mask, :2", "mask, :2"},
		{`"by day, fast" , "idx"`, "`by day, fast`, idx"},
		{"`by day, fast`", "`by day, fast`"},
		{`"True"`, "`True`"},
		{"None, np.newaxis, Ellipsis", "newaxis, newaxis, ..."},
	}
	for _, tt := range tests {
		f, err := view.ParseFancy(tt.text, namedTensors(t))
		got := f.String()
		if err != nil {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("%q: %s (%v), expected %s", tt.text, got, err, tt.want)
		}
	}
}

func TestParseFancyErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"[1, 2", `position 5: expected ',' or ']', found the end`},
		{"[1 2]", `position 3: expected ',' or ']', found '2'`},
		{"[[1], [2, 3]]", "position 6: a list of 2 elements beside one of 1"},
		{"[[1], 2]", "position 6: a single element beside lists"},
		{"[1, [2]]", "position 4: a list beside single elements"},
		{"[1, True]", "position 4: numbers and bools in one list"},
		{"[1.5]", "position 2: expected an integer, True, False or a list, found '.'"},
		{"[x]", "expected an integer, True, False or a list, found 'x'"},
		{"[99999999999999999999]", "must fit in 64 bits"},
		{"idx, rainfall", `look up "rainfall": no such tensor`},
		{"weather/rain", `position 0: "weather/rain" has dtype float32: indexes are integers or bool`},
		{`"idx`, "closing quote"},
		{"idx)", "expected ',' or the end, found ')'"},
		{"é\xff", "expected an item"},
		{strings.Repeat("[", 65), "nested deeper than 64"},
		{strings.Repeat("[1],", 130), "more than 129 items"},
		{"[" + strings.Repeat("1,", 40_000), "more than 65536"},
	}
	for _, tt := range tests {
		_, err := view.ParseFancy(tt.text, namedTensors(t))
		checkError(t, err, tt.want)
	}
	_, err := view.ParseFancy("idx", nil)
	checkError(t, err, `"idx" stands for a tensor, and no tensors are known here`)
}

func TestFancyIndex(t *testing.T) {
	f, err := view.ParseFancy("1, ::2", nil)
	if err != nil {
		t.Fatal(err)
	}
	if ix, ok := f.Index(); !ok || ix.String() != "1, ::2" {
		t.Errorf("%v, %t", ix, ok)
	}
	if _, ok := (view.Fancy{view.Ints(1)}).Index(); ok {
		t.Error("a list is no basic index")
	}
	if got := (view.Fancy{view.IntArray(fromSlice(t, []int8{1}))}).String(); got != "<int8 (1,)>" {
		t.Error(got)
	}
}

// Whatever is parsed prints as text that parses to the same, and its use is a result or an error.
func FuzzParseFancy(f *testing.F) {
	for _, text := range []string{"", "()", "[1,5,7], ::2", "[[0],[1]], [2,3]", "mask", "idx, :", "[True,False]", "True, ...", `"by day, fast"`, "[[],[]]", "[1,[2]]"} {
		f.Add(text)
	}
	lookup := namedTensors(f)
	x, _ := packedTensor(f, []int{4, 3, 2}, dtype.Int16)
	f.Fuzz(func(t *testing.T, text string) {
		index, err := view.ParseFancy(text, lookup)
		if err != nil {
			return
		}
		again, err := view.ParseFancy(index.String(), lookup)
		if err != nil || again.String() != index.String() {
			t.Fatalf("%q became %q became %q: %v", text, index, again, err)
		}
		shape, err := view.FancyShape(t.Context(), x.Layout(), index)
		if err != nil {
			return
		}
		l, err := view.NewLayout(shape...)
		if err != nil {
			t.Fatal(err)
		}
		if l.NumElems() > 1<<16 {
			return
		}
		dst, _ := packedTensor(t, shape, dtype.Int16)
		if view.Gather(t.Context(), dst, x, index) != nil {
			return
		}
		if err := view.Scatter(t.Context(), x, index, dst); err != nil {
			t.Fatalf("%q gathers and does not scatter: %v", text, err)
		}
	})
}

// TestScalarIndexOfNothing checks an index that is a tensor of rank 0 although nothing is picked.
func TestScalarIndexOfNothing(t *testing.T) {
	src, _ := packedTensor(t, []int{3, 2}, dtype.Int64)
	for i, ok := range map[int64]bool{2: true, -3: true, 3: false, -4: false} {
		one := fromSlice(t, []int64{i})
		index, err := one.Index(view.Index{view.At(0)})
		if err != nil {
			t.Fatal(err)
		}
		empty, err := one.Index(view.Index{view.Span(0, 0)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = view.FancyShape(t.Context(), src.Layout(), view.Fancy{view.IntArray(index), view.IntArray(empty)})
		var outside *view.IndexError
		if ok && err != nil || !ok && !errors.As(err, &outside) {
			t.Errorf("index %d: %v", i, err)
		}
	}
}
