package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/compute/internal/plan"
)

func TestNew(t *testing.T) {
	tests := []struct {
		name     string
		shape    []int
		strides  [][]int
		elem     int
		lead     int
		sizes    []int
		want     [][]int
		start    []int
		tile     bool
		tileSize []int
	}{
		{name: "scalar", shape: []int{}, strides: [][]int{{}, {}}, elem: 4, sizes: []int{1}, want: [][]int{{4}, {4}}, start: []int{0, 0}},
		{name: "contiguous", shape: []int{3, 4}, strides: [][]int{{16, 4}, {16, 4}}, elem: 4, sizes: []int{12}, want: [][]int{{4}, {4}}, start: []int{0, 0}},
		{name: "axes of size 1 vanish", shape: []int{1, 3, 1}, strides: [][]int{{99, 4, 7}, {0, 8, 0}}, elem: 4, sizes: []int{3}, want: [][]int{{4}, {8}}, start: []int{0, 0}},
		{name: "Fortran order", shape: []int{3, 4}, strides: [][]int{{4, 12}, {4, 12}}, elem: 4, sizes: []int{12}, want: [][]int{{4}, {4}}, start: []int{0, 0}},
		{name: "reversed alike", shape: []int{5}, strides: [][]int{{-4}, {-8}}, elem: 4, lead: -1, sizes: []int{5}, want: [][]int{{4}, {8}}, start: []int{-16, -32}},
		{name: "reversed destination", shape: []int{5}, strides: [][]int{{-4}, {4}}, elem: 4, sizes: []int{5}, want: [][]int{{4}, {-4}}, start: []int{-16, 16}},
		{name: "broadcast row", shape: []int{3, 4}, strides: [][]int{{16, 4}, {0, 4}}, elem: 4, sizes: []int{3, 4}, want: [][]int{{16, 4}, {0, 4}}, start: []int{0, 0}},
		{name: "transposed operand", shape: []int{2, 3, 4}, strides: [][]int{{48, 16, 4}, {4, 8, 24}}, elem: 4, sizes: []int{2, 3, 4}, want: [][]int{{48, 16, 4}, {4, 8, 24}}, start: []int{0, 0}, tile: true, tileSize: []int{3, 2, 4}},
		{name: "empty", shape: []int{0, 3}, strides: [][]int{{12, 4}}, elem: 4, sizes: []int{0}, want: [][]int{{4}}, start: []int{0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var operands []plan.Operand
			for _, strides := range test.strides {
				operands = append(operands, plan.Operand{Strides: strides, ElemSize: test.elem})
			}
			n := plan.New(test.shape, operands, test.lead)
			if diff := cmp.Diff(test.sizes, n.Sizes); diff != "" {
				t.Errorf("sizes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, n.Strides); diff != "" {
				t.Errorf("strides (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.start, n.Start); diff != "" {
				t.Errorf("start (-want +got):\n%s", diff)
			}
			if got := n.Tile(); got != test.tile {
				t.Errorf("Tile() = %t, want %t", got, test.tile)
			}
			if test.tile && !slices.Equal(n.Sizes, test.tileSize) {
				t.Errorf("sizes of the tiled nest are %v, want %v", n.Sizes, test.tileSize)
			}
		})
	}
}

// TestVisits checks that nests and their chunks visit what the shape has, each element once and
// with the operands in step, for random shapes and strides.
func TestVisits(t *testing.T) {
	const seed = 7
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		shape, operands := random(r)
		lead := r.IntN(len(operands)+1) - 1
		want := visits(shape, operands)
		n := plan.New(shape, operands, lead)
		if r.IntN(2) == 0 {
			n.Tile()
		}
		chunks := n.Chunks(1+r.IntN(40), 1+r.IntN(20), 1+r.IntN(20))
		var got [][]int
		var box plan.Box
		for chunk := range chunks.Len() {
			begin := len(got)
			err := chunks.Boxes(chunk, &box, func(b *plan.Box) error {
				for row := range b.Rows {
					for col := range b.Cols {
						at := make([]int, len(operands))
						for k := range at {
							at[k] = b.At[k] + row*n.Outer(k) + col*n.Inner(k)
						}
						got = append(got, at)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			checkExtents(t, chunks, chunk, got[begin:])
		}
		slices.SortFunc(got, slices.Compare)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("shape %v, operands %v, lead %d (-want +got):\n%s", shape, operands, lead, diff)
		}
	}
}

// checkExtents compares the extents of a chunk with the offsets visited in it.
func checkExtents(t *testing.T, chunks *plan.Chunks, chunk int, visited [][]int) {
	t.Helper()
	for k := range visited[0] {
		lo, hi := visited[0][k], visited[0][k]
		for _, at := range visited {
			lo, hi = min(lo, at[k]), max(hi, at[k])
		}
		if gotLo, gotHi := chunks.Extent(k, chunk); gotLo != lo || gotHi != hi+4 {
			t.Fatalf("chunk %d: extent of operand %d is [%d, %d), want [%d, %d)", chunk, k, gotLo, gotHi, lo, hi+4)
		}
	}
}

func random(r *rand.Rand) ([]int, []plan.Operand) {
	shape := make([]int, r.IntN(5))
	for i := range shape {
		shape[i] = r.IntN(5)
		if shape[i] == 0 && r.IntN(4) > 0 {
			shape[i] = 6
		}
	}
	operands := make([]plan.Operand, 1+r.IntN(3))
	for k := range operands {
		strides := make([]int, len(shape))
		step := 4
		for _, axis := range r.Perm(len(shape)) {
			strides[axis] = step * (r.IntN(3) - 1)
			step *= max(shape[axis], 1) + r.IntN(2)
		}
		operands[k] = plan.Operand{Strides: strides, ElemSize: 4}
	}
	return shape, operands
}

// visits lists the byte offsets of all operands at each index of shape, sorted.
func visits(shape []int, operands []plan.Operand) [][]int {
	var all [][]int
	var walk func(axis int, at []int)
	walk = func(axis int, at []int) {
		if axis == len(shape) {
			all = append(all, at)
			return
		}
		for i := range shape[axis] {
			next := slices.Clone(at)
			for k := range next {
				next[k] += i * operands[k].Strides[axis]
			}
			walk(axis+1, next)
		}
	}
	walk(0, make([]int, len(operands)))
	slices.SortFunc(all, slices.Compare)
	return all
}
