package graph

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/dtype"
)

// Contract returns the sums of products over axes of x and y that belong together. The other axes
// of x come first, then those of y.
func (b *Builder) Contract(name string, x, y *Node, t dtype.Type, axesX, axesY []int) (*Node, error) {
	for i := range axesX {
		if m, n := x.Shape[axesX[i]], y.Shape[axesY[i]]; m != n {
			return nil, fmt.Errorf("%s: shapes %s do not go together: axis %d of the first has %d elements, axis %d of the second %d",
				name, FormatShapes([]*Node{x, y}), axesX[i], m, axesY[i], n)
		}
	}

	// Axes that are summed over become the columns of one matrix and the rows of the other.
	freeX, freeY := Without(AllAxes(len(x.Shape)), axesX...), Without(AllAxes(len(y.Shape)), axesY...)
	rows, err := b.matrix(x, freeX, axesX)
	if err != nil {
		return nil, err
	}
	columns, err := b.matrix(y, axesY, freeY)
	if err != nil {
		return nil, err
	}

	// The axes that are not summed, those of x before those of y, are the axes of the result.
	n, err := b.Product(name, rows, columns, t)
	if err != nil {
		return nil, err
	}
	return b.Reshaped(n, append(sizesOf(x, freeX), sizesOf(y, freeY)...))
}

// matrix returns n as a matrix. Its rows run over some axes of n, its columns over the others.
func (b *Builder) matrix(n *Node, rows, columns []int) (*Node, error) {
	turned, err := b.Permuted(n, slices.Concat(rows, columns))
	if err != nil {
		return nil, err
	}
	return b.Reshaped(turned, []int{NumElems(sizesOf(n, rows)), NumElems(sizesOf(n, columns))})
}

// sizesOf returns the sizes of some axes of n.
func sizesOf(n *Node, axes []int) []int {
	sizes := make([]int, len(axes))
	for i, axis := range axes {
		sizes[i] = n.Shape[axis]
	}
	return sizes
}

// Without returns axes that are not among others.
func Without(axes []int, others ...int) []int {
	return slices.DeleteFunc(slices.Clone(axes), func(axis int) bool { return slices.Contains(others, axis) })
}
