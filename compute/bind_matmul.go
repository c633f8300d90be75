package compute

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func bindMatmul(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}
	if len(x.shape) == 0 || len(y.shape) == 0 {
		return value{}, fmt.Errorf("%s of shapes %s: expected at least one axis each; multiply by numbers with *", c.name(), formatShapes([]*node{x, y}))
	}
	row, column := len(x.shape) == 1, len(y.shape) == 1
	if row {
		x, err = b.view(x, view.Chain{view.IndexStep(view.Index{view.NewAxis(), view.All()})})
	}
	if column && err == nil {
		y, err = b.view(y, view.Chain{view.IndexStep(view.Index{view.All(), view.NewAxis()})})
	}
	if err != nil {
		return value{}, err
	}
	n, err := b.product(c.name(), x, y, t)
	if err == nil && row {
		n, err = b.dropped(n, len(n.shape)-2)
	}
	if err == nil && column {
		n, err = b.dropped(n, len(n.shape)-1)
	}
	return value{node: n}, err
}

// factors returns the two operands of a product, and the type of it.
func (b *binder) factors(c *call) (x, y *node, t dtype.Type, err error) {
	v, err := c.values()
	if err != nil {
		return nil, nil, dtype.Invalid, err
	}
	if x, err = b.typed(v[0]); err != nil {
		return nil, nil, dtype.Invalid, err
	}
	if y, err = b.typed(v[1]); err != nil {
		return nil, nil, dtype.Invalid, err
	}
	return x, y, meetingType(value{node: x}, value{node: y}), nil
}

// dropped returns n without an axis of size 1.
func (b *binder) dropped(n *node, axis int) (*node, error) {
	ix := slices.Repeat(view.Index{view.All()}, len(n.shape))
	ix[axis] = view.At(0)
	return b.view(n, view.Chain{view.IndexStep(ix)})
}

// product returns the products of the matrices in the last two axes of x and y, of type t. The axes before those
// stretch. A product with one row or one column is a sum of products, which is computed as the elements are read.
func (b *binder) product(name string, x, y *node, t dtype.Type) (*node, error) {
	rx, ry := len(x.shape), len(y.shape)
	if x.shape[rx-1] != y.shape[ry-2] {
		return nil, fmt.Errorf("%s: shapes %s do not go together: expected as many columns of the first as rows of the second, found %d and %d",
			name, formatShapes([]*node{x, y}), x.shape[rx-1], y.shape[ry-2])
	}
	batch, ok := joinShapes(x.shape[:rx-2], y.shape[:ry-2])
	if !ok {
		return nil, fmt.Errorf("%s: shapes %s do not go together before their last two axes", name, formatShapes([]*node{x, y}))
	}
	shape := append(slices.Clone(batch), x.shape[rx-2], y.shape[ry-1])
	if _, err := view.NewLayout(shape...); err != nil {
		return nil, fmt.Errorf("%s: shapes %s together: %w", name, formatShapes([]*node{x, y}), err)
	}
	if rows, ok := b.asRows(x, y); ok {
		n, err := b.product(name, rows, y, t)
		if err != nil {
			return nil, err
		}
		return b.reshaped(n, shape)
	}
	if shape[len(shape)-1] == 1 || shape[len(shape)-2] == 1 {
		return b.sumOfProducts(x, y, t, shape[len(shape)-1] == 1)
	}
	args, err := b.inRuns(factor(b, x, t), factor(b, y, t), t)
	if err != nil {
		return nil, err
	}
	return b.add(node{kind: nodeMatmul, args: args, dtype: t, shape: shape}, ""), nil
}

// factor returns an operand of a product of type t: without a conversion that packing does, or else converted.
func factor(b *binder, n *node, t dtype.Type) *node {
	if n.kind == nodeCast && n.args[0].kind == nodeTensor && dtype.CanCast(n.args[0].dtype, n.dtype, dtype.CastSafe) && gemm.Holds(t, n.args[0].dtype) {
		return n.args[0]
	}
	if gemm.Holds(t, n.dtype) && n.kind == nodeTensor {
		return n
	}
	return b.cast(n, t)
}

// asRows returns the rows of all matrices of x as those of one matrix, if x has them one after the other and y is one
// matrix only.
func (b *binder) asRows(x, y *node) (*node, bool) {
	rank := len(x.shape)
	if rank < 3 || len(y.shape) != 2 || slices.Contains(x.shape, 0) {
		return nil, false
	}
	l, err := x.leafLayout()
	if err != nil || x.kind != nodeTensor && !x.isKept() {
		return nil, false
	}
	long := x.shape[rank-1]
	if _, err := l.Reshape(numElems(x.shape)/long, long); err != nil {
		return nil, false
	}
	rows, err := b.reshaped(x, []int{numElems(x.shape) / long, long})
	return rows, err == nil
}

// sumOfProducts multiplies matrices of which one has one row, or one column. float16, bfloat16 and float8 are
// multiplied and added up in wider types.
func (b *binder) sumOfProducts(x, y *node, t dtype.Type, column bool) (*node, error) {
	var err error
	axis := -2
	if column {
		axis = -1
		y, err = b.swapped(y)
	} else {
		x, err = b.swapped(x)
	}
	if err != nil {
		return nil, err
	}
	wide := kernel.RegisterType(t)
	op, add := kernel.Mul, reduce.Sum
	if t == dtype.Bool {
		op, add = kernel.And, reduce.Any
	}
	p, err := b.apply("matmul", op, b.cast(x, wide), b.cast(y, wide))
	if err != nil {
		return nil, err
	}
	if t != dtype.Bool {
		p = b.cast(p, dtype.ResultForSum(wide))
	}
	sum := b.reduction(p, nil, reduction{op: add, axes: []int{len(p.shape) + axis}, keepDims: true})
	return b.cast(sum, t), nil
}

// swapped returns n with its last two axes exchanged.
func (b *binder) swapped(n *node) (*node, error) { return b.view(n, transposeStep) }

var transposeStep = mustMethods(".mT")

// reshaped returns the elements of n in another shape of as many.
func (b *binder) reshaped(n *node, shape []int) (*node, error) {
	if slices.Equal(n.shape, shape) {
		return n, nil
	}
	return b.method(n, ".reshape", shape)
}

// permuted returns n with its axes in another order.
func (b *binder) permuted(n *node, axes []int) (*node, error) {
	if slices.IsSorted(axes) {
		return n, nil
	}
	return b.method(n, ".permute", axes)
}

// method returns what a method with a tuple of integers makes of n.
func (b *binder) method(n *node, name string, arg []int) (*node, error) {
	chain, err := view.ParseMethods(name + "(" + formatShape(arg) + ")")
	if err != nil {
		return nil, err
	}
	return b.view(n, chain)
}
