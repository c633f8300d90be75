package view_test

import (
	"testing"

	"github.com/tstore/tstore/view"
)

// TestCopyTurnsLargeMatrices transposes matrices that are shared out among
// goroutines, with sizes that are no multiple of a tile.
func TestCopyTurnsLargeMatrices(t *testing.T) {
	const rows, cols = 1537, 2051
	values := make([]uint32, rows*cols)
	for i := range values {
		values[i] = uint32(i)
	}
	src, err := view.FromSlice(values, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	turned := make([]uint32, rows*cols)
	dst, err := view.FromSlice(turned, cols, rows)
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]struct {
		index string
		at    func(i, j int) uint32 // element (i, j) of the destination
	}{
		"transposed": {":", func(i, j int) uint32 { return uint32(j*cols + i) }},
		"flipped":    {"::-1", func(i, j int) uint32 { return uint32((rows-1-j)*cols + i) }},
	} {
		clear(turned)
		picked, err := src.Slice(part.index)
		if err != nil {
			t.Fatal(err)
		}
		if err := view.Copy(dst, picked.Transpose()); err != nil {
			t.Fatal(err)
		}
		for k, v := range turned {
			if want := part.at(k/rows, k%rows); v != want {
				t.Fatalf("%s: element %d is %d, want %d", name, k, v, want)
			}
		}
	}
}
