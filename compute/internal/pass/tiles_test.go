package pass_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/view"
)

// permuted returns the layout of a tensor in C order whose axes are taken in another order.
func permuted(t *testing.T, shape []int, order ...int) view.Layout {
	t.Helper()
	l, err := view.NewLayout(shape...)
	if err == nil {
		l, err = l.Permute(order...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestTileRuns looks at the length of the runs that tiles have in both operands of a copy.
func TestTileRuns(t *testing.T) {
	for name, c := range map[string]struct {
		from       view.Layout
		most       int64
		tile, runs []int
	}{
		"matrix":      {permuted(t, []int{16384, 16384}, 1, 0), 64 << 20, []int{4096, 2048}, []int{16384, 8192}},
		"narrow":      {permuted(t, []int{1 << 22, 64}, 1, 0), 64 << 20, []int{64, 131072}, []int{64 * 131072 * 4, 131072 * 4}},
		"rows inside": {permuted(t, []int{4096, 4096, 16}, 1, 0, 2), 64 << 20, []int{1024, 512, 16}, []int{65536, 32768}},
		"all":         {permuted(t, []int{64, 64}, 1, 0), 64 << 20, []int{64, 64}, []int{16384, 16384}},
	} {
		to, err := view.NewLayout(c.from.Shape()...)
		if err != nil {
			t.Fatal(err)
		}
		tile, runs := pass.TileRuns([]view.Layout{c.from, to}, 4, c.most)
		if diff := cmp.Diff([][]int{c.tile, c.runs}, [][]int{tile, runs}); diff != "" {
			t.Errorf("%s: tiles and runs (-want +got)\n%s", name, diff)
		}
	}
}

// TestTilePieces counts how often the bytes of an operand are read: once each.
func TestTilePieces(t *testing.T) {
	for name, l := range map[string]view.Layout{
		"matrix": permuted(t, []int{100, 3000}, 1, 0),
		"three":  permuted(t, []int{20, 40, 1500}, 2, 1, 0),
	} {
		read := pass.TilePieces(l, 8, 1<<19)
		if slices.Min(read) < 1 || slices.Max(read) > 1 {
			t.Errorf("%s: bytes are read from %d to %d times, expected once each", name, slices.Min(read), slices.Max(read))
		}
	}
}
