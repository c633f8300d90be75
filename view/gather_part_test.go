package view_test

import (
	"errors"
	"testing"

	"github.com/tstore/tstore/view"
)

// TestGatherPart picks rows of results, which must be those of Gather.
func TestGatherPart(t *testing.T) {
	elems := make([]int64, 5*6*7)
	for i := range elems {
		elems[i] = int64(i)
	}
	whole := fromSlice(t, elems)
	x, err := whole.Reshape(5, 6, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []*view.Tensor{x, x.Transpose()} {
		for _, text := range []string{"[1, 0, -1, 1]", "[[1, 2], [0, 4]]", ":, [5, 0]", "..., [0, 3, 3]", "[0, 1], [1, 2], [3, 4]", "[0, 1], :, [3, 4]", "1, :, [3, 4]", "None, [1, 1]", "[[0], [1]], [2, 3, 4]", "::-2, [1, 1]"} {
			f, err := view.ParseFancy(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			shape, err := view.FancyShape(t.Context(), src.Layout(), f)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Check(t.Context(), src.Layout()); err != nil {
				t.Errorf("%s: %v", text, err)
			}
			want, _ := packedTensor(t, shape, src.DType())
			got, _ := packedTensor(t, shape, src.DType())
			if err := view.Gather(t.Context(), want, src, f); err != nil {
				t.Fatal(err)
			}
			for first := 0; first < shape[0]; first += 2 {
				part, err := got.Narrow(0, first, min(2, shape[0]-first))
				if err == nil {
					err = view.GatherPart(t.Context(), part, src, f, first)
				}
				if err != nil {
					t.Fatalf("%s from %d on: %v", text, first, err)
				}
			}
			if !equal(t, got, want) {
				t.Errorf("%s: parts are\n%v, want\n%v", text, got, want)
			}
		}
	}
}

func TestGatherPartErrors(t *testing.T) {
	x := fromSlice(t, []int64{3, 1, 0, 2, 5, 4})
	dst := fromSlice(t, []int64{0, 0})
	one, err := dst.Slice("0")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text  string
		dst   *view.Tensor
		first int
	}{
		{"[0, 1, 2]", dst, -1}, {"[0, 1, 2]", dst, 2}, {"[0, 1, 2]", one, 0}, {"[True, True, False, False, False, False]", dst, 0}, {"[[0, 1], [1, 2]]", dst, 0},
		{"[0, 6]", dst, 0}, {"[0, 1, 2], 0", dst, 0},
	} {
		f, err := view.ParseFancy(test.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := view.GatherPart(t.Context(), test.dst, x, f, test.first); err == nil {
			t.Errorf("%s from %d on: no error", test.text, test.first)
		}
	}
	f, err := view.ParseFancy("[0, 6]", nil)
	if err != nil {
		t.Fatal(err)
	}
	var outside *view.IndexError
	if err := f.Check(t.Context(), x.Layout()); !errors.As(err, &outside) || outside.Index != 6 {
		t.Errorf("an index of 6 in 6 elements: %v", err)
	}
}
