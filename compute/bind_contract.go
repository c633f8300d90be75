package compute

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
)

// contract returns the sums of products over axes of x and y that belong together. The other axes of x come first, then those
// of y.
func (b *builder) contract(name string, x, y *node, t dtype.Type, axesX, axesY []int) (*node, error) {
	for i := range axesX {
		if m, n := x.shape[axesX[i]], y.shape[axesY[i]]; m != n {
			return nil, fmt.Errorf("%s: shapes %s do not go together: axis %d of the first has %d elements, axis %d of the second %d",
				name, formatShapes([]*node{x, y}), axesX[i], m, axesY[i], n)
		}
	}
	freeX, freeY := without(allAxes(len(x.shape)), axesX...), without(allAxes(len(y.shape)), axesY...)
	rows, err := b.matrix(x, freeX, axesX)
	if err != nil {
		return nil, err
	}
	columns, err := b.matrix(y, axesY, freeY)
	if err != nil {
		return nil, err
	}
	n, err := b.product(name, rows, columns, t)
	if err != nil {
		return nil, err
	}
	return b.reshaped(n, append(sizesOf(x, freeX), sizesOf(y, freeY)...))
}

// matrix returns n as a matrix, whose rows are some axes and whose columns are the others.
func (b *builder) matrix(n *node, rows, columns []int) (*node, error) {
	turned, err := b.permuted(n, slices.Concat(rows, columns))
	if err != nil {
		return nil, err
	}
	return b.reshaped(turned, []int{numElems(sizesOf(n, rows)), numElems(sizesOf(n, columns))})
}

// sizesOf returns the sizes of some axes of n.
func sizesOf(n *node, axes []int) []int {
	sizes := make([]int, len(axes))
	for i, axis := range axes {
		sizes[i] = n.shape[axis]
	}
	return sizes
}

// without returns axes that are not among others.
func without(axes []int, others ...int) []int {
	return slices.DeleteFunc(slices.Clone(axes), func(axis int) bool { return slices.Contains(others, axis) })
}
