package bulk

import (
	"slices"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/view"
)

// A chunk is lanes of LaneChunk elements together, or FewLanes of them at least where elements of
// several lanes are next to each other.
const (
	LaneChunk = 1 << 16
	FewLanes  = 16
)

// Lanes are the lanes of an operand, one after the other in C order, in groups that are a chunk
// each.
type Lanes struct {
	Count, Length int
	Group         int // lanes of a chunk, but for the last one
}

// NewLanes cuts the elements of x into lanes of some length.
func NewLanes(x *pieces.Operand, count, length int) Lanes {
	l := Lanes{Count: count, Length: length, Group: max(1, LaneChunk/max(1, length))}
	if !x.InPlace() && count > 1 {
		l.Group = max(l.Group, FewLanes)
	}
	return l
}

// Chunks returns the number of groups.
func (l Lanes) Chunks() int { return (l.Count + l.Group - 1) / l.Group }

// Of returns the lanes of a chunk.
func (l Lanes) Of(chunk int) (first, n int) {
	return chunk * l.Group, min(l.Group, l.Count-chunk*l.Group)
}

// Extent returns the elements of a chunk.
func (l Lanes) Extent(chunk int) (first, n int) {
	first, n = l.Of(chunk)
	return first * l.Length, n * l.Length
}

// InLanes returns a view of t with the given axes last, in their order. In C order its elements are
// one lane after the other.
func InLanes(t *view.Tensor, axes []int) (*view.Tensor, error) {
	order := make([]int, 0, t.Rank())
	for axis := range t.Rank() {
		if !slices.Contains(axes, axis) {
			order = append(order, axis)
		}
	}
	return t.Permute(append(order, axes...)...)
}

// LaneLength returns the number of elements of a lane along some axes.
func LaneLength(shape, axes []int) int {
	n := 1
	for _, axis := range axes {
		n *= shape[axis]
	}
	return n
}
