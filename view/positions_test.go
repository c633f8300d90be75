package view_test

import (
	"errors"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// TestPositions compares positions with what Gather picks of elements that are numbers of their
// positions.
func TestPositions(t *testing.T) {
	numbers := make([]int64, 5*6*7)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	whole, err := view.FromSlice(numbers, 5, 6, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	mask, err := view.FromSlice([]bool{true, false, true, true, false}, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer mask.Close()
	many := make([]int, 3000)
	for i := range many {
		many[i] = i*i%10 - 5
	}
	for name, f := range map[string]view.Fancy{
		"rows": {view.Ints(4, 0, -1)}, "columns": {view.Basic(view.Ellipsis()), view.Ints(1, 1)}, "middle": {view.Basic(view.All()), view.Ints(2)},
		"points": {view.Ints(1, 2), view.Ints(3, 4), view.Ints(5, 6)}, "apart": {view.Ints(1, 2), view.Basic(view.All()), view.Ints(5, 6)},
		"mask": {view.BoolArray(mask)}, "none": {view.Ints()}, "many": {view.Ints(many...), view.Basic(view.SpanStep(5, 0, -2))},
	} {
		for way, src := range map[string]*view.Tensor{"C order": whole, "flipped": flipped(t, whole)} {
			shape, err := view.FancyShape(t.Context(), src.Layout(), f)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := packedTensor(t, shape, dtype.Int64)
			got, _ := packedTensor(t, shape, dtype.Int64)
			if err := errors.Join(view.Gather(t.Context(), want, src, f), f.Positions(t.Context(), got, src.Layout())); err != nil {
				t.Fatalf("%s, %s: %v", name, way, err)
			}
			if same, err := view.Equal(t.Context(), got, want); !same || err != nil {
				t.Errorf("%s, %s: other positions (%v)", name, way, err)
			}
		}
	}
	dst, _ := packedTensor(t, []int{1, 6, 7}, dtype.Int64)
	var outside *view.IndexError
	if err := (view.Fancy{view.Ints(5)}).Positions(t.Context(), dst, whole.Layout()); !errors.As(err, &outside) {
		t.Errorf("an index outside: %v", err)
	}
	if err := (view.Fancy{view.Ints(1, 2)}).Positions(t.Context(), dst, whole.Layout()); err == nil {
		t.Error("no error of another shape")
	}
	narrow, _ := packedTensor(t, []int{1, 6, 7}, dtype.Int32)
	if err := (view.Fancy{view.Ints(1)}).Positions(t.Context(), narrow, whole.Layout()); err == nil {
		t.Error("no error of another type")
	}
}

// flipped is x with its second axis turned round.
func flipped(t *testing.T, x *view.Tensor) *view.Tensor {
	t.Helper()
	turned, err := x.Slice(":, ::-1")
	if err != nil {
		t.Fatal(err)
	}
	return turned
}
