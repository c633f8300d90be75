package bulk_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/view"
)

// opened returns the elements of a new tensor of a shape, with axes in another order if it is not
// packed.
func opened(t *testing.T, packed bool, shape ...int) *pieces.Operand {
	t.Helper()
	n := 1
	for _, size := range shape {
		n *= size
	}
	x, err := view.FromSlice(make([]int16, n), shape...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if !packed {
		if x, err = x.Permute(1, 0); err != nil {
			t.Fatal(err)
		}
	}
	o, err := pieces.Open(x)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

// TestLanes checks that groups of lanes hold all lanes once, and as many as their size and layout
// ask for.
func TestLanes(t *testing.T) {
	for name, test := range map[string]struct {
		packed        bool
		count, length int
		group         int
	}{
		"short lanes":          {true, 70_000, 3, bulk.LaneChunk / 3},
		"long lanes":           {true, 2, 100_000, 1},
		"long lanes of others": {false, 2, 100_000, bulk.FewLanes},
		"no elements":          {true, 5, 0, bulk.LaneChunk},
	} {
		t.Run(name, func(t *testing.T) {
			l := bulk.NewLanes(opened(t, test.packed, test.count, test.length), test.count, test.length)
			if l.Group != test.group {
				t.Errorf("%d lanes in a group, want %d", l.Group, test.group)
			}
			next := 0
			for chunk := range l.Chunks() {
				first, n := l.Of(chunk)
				at, elems := l.Extent(chunk)
				if first != next || at != first*test.length || elems != n*test.length {
					t.Fatalf("chunk %d has lanes %d+%d, elements %d+%d", chunk, first, n, at, elems)
				}
				next += n
			}
			if next != test.count {
				t.Errorf("chunks have %d lanes, want %d", next, test.count)
			}
		})
	}
}

// TestTouched checks what is known of operands that are read in place, and of those that are
// copied.
func TestTouched(t *testing.T) {
	packed, other := opened(t, true, 10, 20), opened(t, false, 10, 20)
	var touched bulk.Touched
	extent := func(chunk int) (first, n int) { return 50 * chunk, 50 }
	touched.Reads(packed, extent)
	touched.Reads(other, extent)
	touched.Reads(packed, nil)
	touched.Writes(packed.Tensor, extent)
	if len(touched.Storages) != 4 || touched.Bytes != 4*400 {
		t.Errorf("%d storages and %d bytes, want 4 and 1600", len(touched.Storages), touched.Bytes)
	}
	var writes []bool
	for _, part := range touched.Parts {
		writes = append(writes, part.Write)
		if lo, hi := part.Bounds(2); lo != 200 || hi != 300 {
			t.Errorf("chunk 2 touches bytes %d to %d, want 200 to 300", lo, hi)
		}
	}
	if diff := cmp.Diff([]bool{false, true}, writes); diff != "" {
		t.Errorf("parts that are written (-want +got):\n%s", diff)
	}
}
