package graph

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// Reduction returns the node of a reduction, which has a meaning on the elements of n. The mask may
// be nil.
func (b *Builder) Reduction(n, mask *Node, r Reduction) *Node {
	args := []*Node{n}
	if mask != nil {
		args = append(args, mask)
	}
	shape := []int{}
	for axis, size := range n.Shape {
		switch {
		case !slices.Contains(r.Axes, axis):
			shape = append(shape, size)
		case r.KeepDims:
			shape = append(shape, 1)
		}
	}
	made := Node{Kind: NodeReduce, Args: args, DType: reduce.ResultType(r.Op, n.DType), Shape: shape, Reduce: r}
	return b.Add(made, fmt.Sprint(r))
}

// Reduced is reduction with the checks that a user's input needs.
func (b *Builder) Reduced(name string, n, mask *Node, r Reduction) (*Node, error) {
	if reduce.ResultType(r.Op, n.DType) == dtype.Invalid {
		return nil, fmt.Errorf("%s takes no %s elements", name, n.DType)
	}
	made := b.Reduction(n, mask, r)
	if r.Op.NeedsElement() && slices.Contains(n.Shape, 0) && NumElems(made.Shape) > 0 {
		return nil, fmt.Errorf("%s of no elements: shape %s over axes %v", name, syntax.FormatShape(n.Shape), r.Axes)
	}
	return made, nil
}

// AllAxes returns the axes of a tensor.
func AllAxes(rank int) []int {
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	return axes
}

// Value computes n, which has one element, now.
func (b *Builder) Value(n *Node) (dtype.Scalar, error) {
	t, err := b.Elements(n)
	if err != nil {
		return dtype.Scalar{}, err
	}
	return t.Get(make([]int, t.Rank())...)
}
