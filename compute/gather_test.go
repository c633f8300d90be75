package compute_test

import (
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/view"
)

// TestGatherOfExpressions picks of expressions, and compares with what is picked of their elements
// in memory.
func TestGatherOfExpressions(t *testing.T) {
	t.Parallel()
	n := streamNames(t)
	for i, text := range []string{
		"x", "x*2 + v", "x.T", "(x.T - v[:, None, None])", "x - x.mean(axis=0)", "arange(300*7*211).reshape(300, 7, 211)", "random(7, (300, 7, 211)) + v",
		"zeros((300, 7, 211))", "ones((300, 7, 211)) * 3", "cumsum(x, axis=1) > 4", "broadcast_to(v, (300, 7, 211)) + 1", "arange(211)[::-1] * ones((300, 7, 1))", "x.astype(int8)",
	} {
		whole, err := parsed(t, text).Eval(t.Context(), n.env(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer whole.Close()
		n["whole"], n["i"] = whole, array(t, []int64{0, 3, -1, 3}, 4)
		for k, index := range []string{"[i]", "[:, [6, -7]]", "[..., i]", "[i, 1]", "[i, :, i]", "[[[1, 2], [3, 4]], 0]", "[:7, [0, 1], ::-3]", "[whole > 5]", "[whole[:, 0, 0] > 5]", "[[]]", "[None, i]", "[[1, 1], None]"} {
			if !*compute.Long && i%3 != k%3 {
				continue
			}
			got, err1 := parsed(t, "("+text+")"+index).Eval(t.Context(), n.env(), nil)
			want, err2 := parsed(t, "whole"+index).Eval(t.Context(), n.env(), nil)
			if (err1 == nil) != (err2 == nil) {
				t.Errorf("%s%s: %v, of its elements %v", text, index, err1, err2)
			}
			if err1 != nil || err2 != nil {
				continue
			}
			if same, err := view.Equal(t.Context(), got, want); !same || err != nil || got.DType() != want.DType() {
				t.Errorf("%s%s: other elements (%v)", text, index, err)
			}
			got.Close()
			want.Close()
		}
	}
	for _, text := range []string{"zeros(5)[[5]]", "arange(5)[[0, -6]]", "(ones((2, 2)) + 1)[:, [2]]", "full((3, 3), 7)[[0], [3]]", "(v + 1)[[211]]", "zeros(5)[[True]]"} {
		if made, err := parsed(t, text).Eval(t.Context(), n.env(), nil); err == nil {
			t.Errorf("%s: %v, no error of an index outside: %v", text, made, err)
		}
	}
}
