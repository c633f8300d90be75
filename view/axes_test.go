package view_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/view"
)

func TestIndexAxes(t *testing.T) {
	tests := []struct {
		index string
		rank  int
		want  []int
	}{
		{"()", 0, []int{}},
		{"()", 2, []int{0, 1}},
		{"1:2", 3, []int{0, 1, 2}},
		{"3", 3, []int{1, 2}},
		{"..., 0", 3, []int{0, 1}},
		{"0, ..., newaxis, ::-1", 4, []int{1, 2, -1, 3}},
		{"newaxis", 1, []int{-1, 0}},
		{"..., newaxis", 1, []int{0, -1}},
	}
	for _, tt := range tests {
		ix, err := view.ParseIndex(tt.index)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ix.Axes(tt.rank)
		if err != nil {
			t.Fatalf("[%s].Axes(%d): %v", tt.index, tt.rank, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("[%s].Axes(%d) (-want +got):\n%s", tt.index, tt.rank, diff)
		}
	}
	if _, err := (view.Index{view.At(0), view.At(0)}).Axes(1); err == nil {
		t.Error("two indexes for one axis: expected an error")
	}
}
