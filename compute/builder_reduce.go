package compute

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// reduction returns the node of a reduction, which has a meaning on the elements of n. The mask may be nil.
func (b *builder) reduction(n, mask *node, r reduction) *node {
	args := []*node{n}
	if mask != nil {
		args = append(args, mask)
	}
	shape := []int{}
	for axis, size := range n.shape {
		switch {
		case !slices.Contains(r.axes, axis):
			shape = append(shape, size)
		case r.keepDims:
			shape = append(shape, 1)
		}
	}
	made := node{kind: nodeReduce, args: args, dtype: reduce.ResultType(r.op, n.dtype), shape: shape, reduce: r}
	return b.add(made, fmt.Sprint(r))
}

// reduced is reduction with the checks that a user's input needs.
func (b *builder) reduced(name string, n, mask *node, r reduction) (*node, error) {
	if reduce.ResultType(r.op, n.dtype) == dtype.Invalid {
		return nil, fmt.Errorf("%s takes no %s elements", name, n.dtype)
	}
	made := b.reduction(n, mask, r)
	if r.op.NeedsElement() && slices.Contains(n.shape, 0) && numElems(made.shape) > 0 {
		return nil, fmt.Errorf("%s of no elements: shape %s over axes %v", name, formatShape(n.shape), r.axes)
	}
	return made, nil
}

// allAxes returns the axes of a tensor.
func allAxes(rank int) []int {
	axes := make([]int, rank)
	for i := range axes {
		axes[i] = i
	}
	return axes
}

// value computes n, which has one element, now.
func (b *builder) value(n *node) (dtype.Scalar, error) {
	t, err := b.elements(n)
	if err != nil {
		return dtype.Scalar{}, err
	}
	return t.Get(make([]int, t.Rank())...)
}
