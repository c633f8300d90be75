package graph

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// Dropped returns n without an axis of size 1.
func (b *Builder) Dropped(n *Node, axis int) (*Node, error) {
	ix := slices.Repeat(view.Index{view.All()}, len(n.Shape))
	ix[axis] = view.At(0)
	return b.View(n, view.Chain{view.IndexStep(ix)})
}

// Product returns the products of the matrices in the last two axes of x and y, of type t. The axes
// before those stretch. A product with one row or one column is a sum of products, which is
// computed as the elements are read.
func (b *Builder) Product(name string, x, y *Node, t dtype.Type) (*Node, error) {
	rx, ry := len(x.Shape), len(y.Shape)
	if x.Shape[rx-1] != y.Shape[ry-2] {
		return nil, fmt.Errorf("%s: shapes %s do not go together: expected as many columns of the first as rows of the second, found %d and %d",
			name, FormatShapes([]*Node{x, y}), x.Shape[rx-1], y.Shape[ry-2])
	}
	batch, ok := JoinShapes(x.Shape[:rx-2], y.Shape[:ry-2])
	if !ok {
		return nil, fmt.Errorf("%s: shapes %s do not go together before their last two axes", name, FormatShapes([]*Node{x, y}))
	}

	// The shape of the product must be addressable.
	shape := append(slices.Clone(batch), x.Shape[rx-2], y.Shape[ry-1])
	if _, err := view.NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("%s: shapes %s together: %w", name, FormatShapes([]*Node{x, y}), err)
	}

	// Many matrices times one are one tall matrix; vectors need no product of matrices.
	if rows, ok := b.asRows(x, y); ok {
		n, err := b.Product(name, rows, y, t)
		if err != nil {
			return nil, err
		}
		return b.Reshaped(n, shape)
	}
	if shape[len(shape)-1] == 1 || shape[len(shape)-2] == 1 {
		return b.sumOfProducts(x, y, t, shape[len(shape)-1] == 1)
	}

	// Everything else is computed as a whole.
	args, err := b.inRuns(factor(b, x, t), factor(b, y, t), t)
	if err != nil {
		return nil, err
	}
	return b.Add(Node{Kind: NodeMatmul, Args: args, DType: t, Shape: shape}, ""), nil
}

// factor returns an operand of a product of type t: without a conversion that packing does, or else
// converted.
func factor(b *Builder, n *Node, t dtype.Type) *Node {
	if n.Kind == NodeCast && n.Args[0].Kind == NodeTensor && dtype.CanCast(n.Args[0].DType, n.DType, dtype.CastSafe) && gemm.Holds(t, n.Args[0].DType) {
		return n.Args[0]
	}
	if gemm.Holds(t, n.DType) && n.Kind == NodeTensor {
		return n
	}
	return b.Cast(n, t)
}

// asRows returns the rows of all matrices of x as one matrix. It can do so if the rows lie one
// after the other in x, and if y is a single matrix.
func (b *Builder) asRows(x, y *Node) (*Node, bool) {
	rank := len(x.Shape)
	if rank < 3 || len(y.Shape) != 2 || slices.Contains(x.Shape, 0) {
		return nil, false
	}
	l, err := x.leafLayout()
	if err != nil || x.Kind != NodeTensor && !x.IsKept() {
		return nil, false
	}
	long := x.Shape[rank-1]
	if _, err := l.Reshape(NumElems(x.Shape)/long, long); err != nil {
		return nil, false
	}
	rows, err := b.Reshaped(x, []int{NumElems(x.Shape) / long, long})
	return rows, err == nil
}

// sumOfProducts multiplies two matrices, one of which has a single row or column. float16, bfloat16
// and float8 are multiplied and added up in wider types.
func (b *Builder) sumOfProducts(x, y *Node, t dtype.Type, column bool) (*Node, error) {
	var err error
	axis := -2
	if column {
		axis = -1
		y, err = b.Swapped(y)
	} else {
		x, err = b.Swapped(x)
	}
	if err != nil {
		return nil, err
	}

	// Both have the same last axes: elements are multiplied, and added up along the one they share.
	wide := RegisterType(t)
	op, add := kernel.Mul, reduce.Sum
	if t == dtype.Bool {
		op, add = kernel.And, reduce.Any
	}
	p, err := b.Apply("matmul", op, b.Cast(x, wide), b.Cast(y, wide))
	if err != nil {
		return nil, err
	}

	// Sums are wider than what is added.
	if t != dtype.Bool {
		p = b.Cast(p, dtype.ResultForSum(wide))
	}
	sum := b.Reduction(p, nil, Reduction{Op: add, Axes: []int{len(p.Shape) + axis}, KeepDims: true})
	return b.Cast(sum, t), nil
}

// Swapped returns n with its last two axes exchanged.
func (b *Builder) Swapped(n *Node) (*Node, error) { return b.View(n, TransposeStep) }

var TransposeStep = MustMethods(".mT")

// Reshaped returns the elements of n in another shape of as many.
func (b *Builder) Reshaped(n *Node, shape []int) (*Node, error) {
	if slices.Equal(n.Shape, shape) {
		return n, nil
	}
	return b.method(n, ".reshape", shape)
}

// Permuted returns n with its axes in another order.
func (b *Builder) Permuted(n *Node, axes []int) (*Node, error) {
	if slices.IsSorted(axes) {
		return n, nil
	}
	return b.method(n, ".permute", axes)
}

// method returns what a method with a tuple of integers makes of n.
func (b *Builder) method(n *Node, name string, arg []int) (*Node, error) {
	chain, err := view.ParseMethods(name + "(" + syntax.FormatShape(arg) + ")")
	if err != nil {
		return nil, err
	}
	return b.View(n, chain)
}

// MustMethods reads methods that are right.
func MustMethods(text string) view.Chain {
	c, err := view.ParseMethods(text)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return c
}

// RegisterType returns the type in which elements of type t are computed.
func RegisterType(t dtype.Type) dtype.Type {
	return kernel.RegisterType(t)
}
