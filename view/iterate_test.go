package view_test

import (
	"fmt"
	"github.com/google/go-cmp/cmp"
	"slices"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/view"
)

func TestElementsSweep(t *testing.T) {
	sweep(t, func(t *testing.T, c tensortest.Layout, dt dtype.Type) {
		f := newFixture(t, c, dt)
		k := 0
		for v, err := range f.Elements() {
			if err != nil {
				t.Fatal(err)
			}
			if want := dtype.Load(dt, f.bytes[f.pos[k]*f.size:]); v != want {
				t.Fatalf("element %d is %v, expected %v", k, v, want)
			}
			k++
		}
		if k != len(f.pos) {
			t.Errorf("%d elements, expected %d", k, len(f.pos))
		}
		var idx [][]int
		for i := range f.Indexes() {
			idx = append(idx, slices.Clone(i))
		}
		var want [][]int
		for i := range indexes(c.Shape) {
			want = append(want, slices.Clone(i))
		}
		if !slices.EqualFunc(want, idx, slices.Equal[[]int]) {
			t.Errorf("indexes %v, want %v", idx, want)
		}
	})
}

func TestArrayElements(t *testing.T) {
	data := make([]float32, 5000)
	for i := range data {
		data[i] = float32(i)
	}
	a, err := view.As[float32](fromSlice(t, data))
	if err != nil {
		t.Fatal(err)
	}
	back, err := a.Slice("::-1")
	if err != nil {
		t.Fatal(err)
	}
	next := float32(4999)
	for v, err := range back.Elements() {
		if err != nil || v != next {
			t.Fatalf("%v, expected %v (%v)", v, next, err)
		}
		if next--; next == 2000 {
			break
		}
	}
}

func TestRowsAndBoxes(t *testing.T) {
	x := numbered(t, mustMake(t, []int{5, 3}, []int{-3, 1}, 12))
	var got []string
	for i, row := range x.Rows() {
		got = append(got, fmt.Sprint(i, contents(t, row, "").Data))
	}
	boxes, err := x.Boxes(2, 2)
	if err != nil {
		t.Fatal(err)
	}
	for at, box := range boxes {
		got = append(got, fmt.Sprint(at, box.Shape(), contents(t, box, "").Data))
	}
	want := []string{
		"0 [12 13 14]", "1 [9 10 11]", "2 [6 7 8]", "3 [3 4 5]", "4 [0 1 2]",
		"[0 0] [2 2] [12 13 9 10]", "[0 2] [2 1] [14 11]",
		"[2 0] [2 2] [6 7 3 4]", "[2 2] [2 1] [8 5]",
		"[4 0] [1 2] [0 1]", "[4 2] [1 1] [2]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	scalar, err := x.Slice("0, 0")
	if err != nil {
		t.Fatal(err)
	}
	for range scalar.Rows() {
		t.Error("a tensor without axes has a row")
	}
}

func TestAllCloseOfTypes(t *testing.T) {
	tests := []struct {
		name string
		a, b *view.Tensor
		want bool
	}{
		{"int and float", fromSlice(t, []int32{1, 2}), fromSlice(t, []float32{1, 2.000001}), true},
		{"complex", fromSlice(t, []complex64{1 + 2i}), fromSlice(t, []complex128{1 + 2.001i}), true},
		{"complex apart", fromSlice(t, []complex64{1 + 2i}), fromSlice(t, []complex128{1 + 2.1i}), false},
		{"large", fromSlice(t, make([]int8, 30_000)), fromSlice(t, make([]uint64, 1)), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := view.AllClose(t.Context(), tt.a, tt.b, 1e-2, 0, false); got != tt.want || err != nil {
				t.Errorf("%t, %v", got, err)
			}
		})
	}
}
