package view_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/view"
)

func TestParseIndexErrors(t *testing.T) {
	tests := []struct {
		name, text string
		pos        int
		want       string
	}{
		{"empty", "", 0, "expected an integer, a slice, '...' or newaxis, found the end"},
		{"only space", "  \t", 3, "found the end"},
		{"only a comma", ",", 0, "found ','"},
		{"two commas", "1,,2", 2, "found ','"},
		{"letters", "abc", 0, "found 'a'"},
		{"float", "1.5", 1, "whole decimal numbers"},
		{"exponent", "1e3", 1, "whole decimal numbers"},
		{"hexadecimal", "0x10", 1, "whole decimal numbers"},
		{"list", "[1, 2]", 0, "lists of indexes"},
		{"tuple", "(1, 2)", 0, "lists of indexes"},
		{"mask", "1, True", 3, "masks"},
		{"four parts", "1:2:3:4", 5, "expected ',' or the end, found ':'"},
		{"missing comma", "1 2", 2, "expected ',' or the end, found '2'"},
		{"sign only", "-", 1, "found the end"},
		{"two signs", "--1", 1, "found '-'"},
		{"stop is text", "1:x", 2, "found 'x'"},
		{"step is text", "1:2:x", 4, "found 'x'"},
		{"two dots", "..", 0, "found '.'"},
		{"four dots", "....", 3, "found '.'"},
		{"new axis glued", "newaxis2", 0, "found 'n'"},
		{"huge integer", "1, 99999999999999999999", 3, "64 bits"},
		{"not ASCII", "1:é", 2, "found 'é'"},
		{"not UTF-8", "1:\xff", 2, "found"},
		{"too long", strings.Repeat(" ", 5000), 4096, "5000 bytes"},
		{"too many items", strings.Repeat(":,", 130), 259, "more than 129 items"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ix, err := view.ParseIndex(tt.text)
			if err == nil {
				t.Fatalf("no error, but the index %s", ix)
			}
			checkError(t, err, tt.want)
			var syntax *view.SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%T is not a SyntaxError", err)
			}
			if syntax.Pos != tt.pos {
				t.Errorf("position %d, expected %d: %v", syntax.Pos, tt.pos, err)
			}
			if len(err.Error()) > 400 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
		})
	}
}

func TestParseIndex(t *testing.T) {
	tests := []struct {
		text string
		want view.Index
		back string // what String makes of it
	}{
		{"()", view.Index{}, "()"},
		{" ( ) ", view.Index{}, "()"},
		{"3", view.Index{view.At(3)}, "3"},
		{" - 3 ,", view.Index{view.At(-3)}, "-3"},
		{"+3", view.Index{view.At(3)}, "3"},
		{":", view.Index{view.All()}, ":"},
		{"::", view.Index{view.All()}, ":"},
		{"1:", view.Index{view.From(1)}, "1:"},
		{":-1", view.Index{view.Until(-1)}, ":-1"},
		{"1:9", view.Index{view.Span(1, 9)}, "1:9"},
		{"1:9:2", view.Index{view.SpanStep(1, 9, 2)}, "1:9:2"},
		{"::-1", view.Index{view.All().By(-1)}, "::-1"},
		{"None:5:None", view.Index{view.Until(5)}, ":5"},
		{"newaxis:5", view.Index{view.Until(5)}, ":5"},
		{"\t1 :\n2 : 3 ", view.Index{view.SpanStep(1, 2, 3)}, "1:2:3"},
		{"...,0", view.Index{view.Ellipsis(), view.At(0)}, "..., 0"},
		{"Ellipsis", view.Index{view.Ellipsis()}, "..."},
		{"None,np.newaxis,newaxis", view.Index{view.NewAxis(), view.NewAxis(), view.NewAxis()}, "newaxis, newaxis, newaxis"},
		{"-9223372036854775808", view.Index{view.At(math.MinInt)}, "-9223372036854775808"},
		{"99999999999999999999:", view.Index{view.From(math.MaxInt)}, "9223372036854775807:"},
		{":-99999999999999999999", view.Index{view.Until(math.MinInt)}, ":-9223372036854775808"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := view.ParseIndex(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(view.Item{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.String() != tt.back {
				t.Errorf("String is %q, expected %q", got, tt.back)
			}
		})
	}
}

func TestByLeavesOtherItemsAlone(t *testing.T) {
	for _, it := range []view.Item{view.At(2), view.Ellipsis(), view.NewAxis()} {
		if got := it.By(3); got != it {
			t.Errorf("%s.By(3) is %s", it, got)
		}
	}
}

func TestIndexErrors(t *testing.T) {
	l := mustMake(t, []int{10, 4}, []int{4, 1}, 0)
	newAxes := make(view.Index, 63)
	for i := range newAxes {
		newAxes[i] = view.NewAxis()
	}
	tests := []struct {
		name string
		ix   view.Index
		want string
	}{
		{"out of bounds", view.Index{view.At(12)}, "index 12 is out of bounds for axis 0 with size 10"},
		{"below", view.Index{view.All(), view.At(-5)}, "index -5 is out of bounds for axis 1 with size 4"},
		{"after an ellipsis", view.Index{view.Ellipsis(), view.At(4)}, "index 4 is out of bounds for axis 1 with size 4"},
		{"too many", view.Index{view.At(0), view.At(0), view.All()}, "too many indices: tensor has 2 axes, 3 were given"},
		{"two ellipses", view.Index{view.Ellipsis(), view.Ellipsis()}, "an index can only have a single ellipsis ('...')"},
		{"zero step", view.Index{view.All().By(0)}, "slice step cannot be zero"},
		{"rank", newAxes, "65 axes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := l.Index(tt.ix)
			checkError(t, err, tt.want)
		})
	}
	_, err := l.Index(view.Index{view.At(12)})
	var bounds *view.IndexError
	if !errors.As(err, &bounds) || *bounds != (view.IndexError{Axis: 0, Index: 12, Size: 10}) {
		t.Errorf("%#v is not the expected IndexError", err)
	}
	var rank *view.RankError
	_, err = mustMake(t, []int{3}, []int{1}, 0).Index(view.Index{view.At(0), view.At(0)})
	if !errors.As(err, &rank) || *rank != (view.RankError{Want: 1, Got: 2}) {
		t.Errorf("%#v is not the expected RankError", err)
	}
	checkError(t, err, "tensor has 1 axis, 2 were given")
}

// Steps and strides whose product overflows are harmless, because such a slice has one element.
func TestIndexWithHugeNumbers(t *testing.T) {
	l := mustMake(t, []int{5}, []int{4}, 1)
	for _, step := range []int{math.MaxInt, math.MinInt, 1 << 62} {
		got, err := l.Index(view.Index{view.All().By(step)})
		if err != nil {
			t.Fatal(err)
		}
		want := 1
		if step < 0 {
			want = 17
		}
		if got.NumElems() != 1 || got.Offset() != want {
			t.Errorf("[::%d] is %s, expected one element at %d", step, got, want)
		}
	}
	for _, ix := range []view.Index{
		{view.Span(math.MinInt, math.MaxInt)},
		{view.SpanStep(math.MaxInt, math.MinInt, -1)},
	} {
		if got, err := l.Index(ix); err != nil || got.NumElems() != 5 {
			t.Errorf("[%s] is %s, %v; expected 5 elements", ix, got, err)
		}
	}
}

func TestIndexAllocatesOnce(t *testing.T) {
	l := mustMake(t, []int{100, 100, 100}, []int{10000, 100, 1}, 0)
	ix := view.Index{view.SpanStep(1, 90, 2), view.At(5), view.All().By(-1)}
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := l.Index(ix); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 1 {
		t.Errorf("%v allocations, expected at most 1", allocs)
	}
}
