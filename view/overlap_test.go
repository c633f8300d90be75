package view_test

import (
	"slices"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/tensortest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func TestOverlaps(t *testing.T) {
	st, err := mmapstore.New(1000)
	if err != nil {
		t.Fatal(err)
	}
	grid := newTensor(t, st, dtype.Float32, mustMake(t, []int{10, 10}, []int{10, 1}, 0))
	for _, tt := range []struct {
		name, a, b string
		want       bool
	}{
		{"itself", "...", "...", true},
		{"rows apart", ":5", "5:", false},
		{"rows that touch", ":6", "5:", true},
		{"columns", ":, 0", ":, 9", false},
		{"even and odd", "0, ::2", "0, 1::2", false},
		{"even and reversed even", "0, ::2", "0, -2::-2", true},
		{"other ranks", "3", "...", true},
		{"nothing", "3:3", "...", false},
		{"one element", "3, 4", "3, 4", true},
		{"neighbours", "3, 4", "3, 5", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := grid.Slice(tt.a)
			if err != nil {
				t.Fatal(err)
			}
			b, err := grid.Slice(tt.b)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if got, err := view.Overlaps(a, b); err != nil || got != tt.want {
					t.Errorf("Overlaps is %t, %v; expected %t", got, err, tt.want)
				}
				a, b = b, a
			}
		})
	}
}

// Overlaps never misses a byte that is shared.
func TestOverlapsSweep(t *testing.T) {
	b := make([]byte, 1<<16)
	st := mmapstore.FromBytes(b)
	defer st.Release()
	var tensors []fixture
	for _, c := range tensortest.Layouts() {
		if c.NumElems() < 200 {
			l := mustMake(t, c.Shape, c.Strides, c.Offset)
			tensor, err := view.NewTensor(st, dtype.Int16, l)
			if err != nil {
				t.Fatal(err)
			}
			defer tensor.Close()
			tensors = append(tensors, fixture{Tensor: tensor, pos: c.Positions()})
		}
	}
	for _, x := range tensors {
		for _, y := range tensors {
			got, err := view.Overlaps(x.Tensor, y.Tensor)
			shares := slices.ContainsFunc(x.pos, func(pos int) bool { return slices.Contains(y.pos, pos) })
			if err != nil || shares && !got {
				t.Errorf("%s and %s share elements: Overlaps is %t, %v", x, y, got, err)
			}
		}
	}
}
