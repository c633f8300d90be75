package bind

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

var matrixFunctions = []function{
	{name: "dot", params: "a, b", bind: bindDot, doc: "sums over the last axis of a and the last but one of b, or its only one; of numbers their product"},
	{name: "inner", params: "a, b", bind: bindInner, doc: "sums over the last axes of both; of numbers their product"},
	{name: "outer", params: "a, b", bind: bindOuter, doc: "products of all elements of a, in C order, with all of b"},
	{name: "vdot", params: "a, b", bind: bindVdot, doc: "sum of the products of conj(a) and b, both in C order"},
	{name: "vecdot", params: "x1, x2, axis=-1", bind: bindVecdot, doc: "sums of the products of conj(x1) and x2 along an axis"},
	{name: "tensordot", params: "a, b, axes=2", bind: bindTensordot, doc: "sums over so many last axes of a and first axes of b, or over two lists of axes"},
	{name: "einsum", params: "subscripts, a, b=None, c=None, d=None, e=None, f=None, g=None, h=None", bind: bindEinsum,
		doc: "sums of products over the axes that the subscripts name and the result lacks: 'ij,jk->ik'"},
	{name: "kron", params: "a, b", bind: bindKron, doc: "products of each element of a with all of b, in blocks"},
	{name: "cross", params: "a, b, axis=-1", bind: bindCross, doc: "vectors at right angles to two vectors of 3 elements along an axis"},
	{name: "gram", params: "x", bind: bindGram, doc: "x.mT @ x"},
	{name: "trace", params: "a, offset=0, axis1=0, axis2=1", bind: bindTrace, doc: "sums of the diagonals of the matrices that two axes make; of bools and integers int64 or uint64"},
}

// bindDot is matmul for up to two axes of b, and otherwise a contraction.
func bindDot(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}
	axis := max(len(y.Shape)-2, 0)
	return b.dot(c.name(), x, y, t, axis)
}

func bindInner(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}
	return b.dot(c.name(), x, y, t, len(y.Shape)-1)
}

// dot sums over the last axis of x and one of y. Numbers multiply.
func (b *binder) dot(name string, x, y *graph.Node, t dtype.Type, axis int) (value, error) {
	if len(x.Shape) == 0 || len(y.Shape) == 0 {
		n, err := b.Apply(name, multiplication(t), b.Cast(x, t), b.Cast(y, t))
		return value{node: n}, err
	}
	n, err := b.Contract(name, x, y, t, []int{len(x.Shape) - 1}, []int{axis})
	return value{node: n}, err
}

// multiplication returns the operation that multiplies elements of type t.
func multiplication(t dtype.Type) kernel.Op {
	if t == dtype.Bool {
		return kernel.And
	}
	return kernel.Mul
}

func bindOuter(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}
	if x, err = b.Reshaped(x, []int{graph.NumElems(x.Shape), 1}); err != nil {
		return value{}, err
	}
	if y, err = b.Reshaped(y, []int{graph.NumElems(y.Shape)}); err != nil {
		return value{}, err
	}
	n, err := b.Apply(c.name(), multiplication(t), b.Cast(x, t), b.Cast(y, t))
	return value{node: n}, err
}

// conjugated returns the complex conjugate of complex elements, and others themselves.
func (b *binder) conjugated(n *graph.Node) *graph.Node {
	if n.DType.Kind() != dtype.KindComplex {
		return n
	}
	return b.MapNode(kernel.Conj, []*graph.Node{n}, n.Shape)
}

// bindTrace binds the sum of a.diagonal.
func bindTrace(b *binder, c *call) (value, error) {
	x, err := c.operand("a")
	if err != nil {
		return value{}, err
	}

	offset, err1 := c.int("offset", 0)
	axis1, err2 := c.int("axis1", 0)
	axis2, err3 := c.int("axis2", 1)
	if err := errors.Join(err1, err2, err3); err != nil {
		return value{}, err
	}

	step, err := view.ParseMethods(fmt.Sprintf(".diagonal(%d, %d, %d)", offset, axis1, axis2))
	if err != nil {
		return value{}, err
	}
	n, err := b.View(x, step)
	if err != nil {
		return value{}, fmt.Errorf("%s: %w", c.name(), err)
	}

	n, err = b.Reduced(c.name(), n, nil, graph.Reduction{Op: reduce.Sum, Axes: []int{len(n.Shape) - 1}})
	return value{node: n}, err
}

func bindVdot(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}

	size := []int{graph.NumElems(x.Shape)}
	if graph.NumElems(y.Shape) != size[0] {
		return value{}, fmt.Errorf("vdot: expected as many elements of both, found shapes %s", graph.FormatShapes([]*graph.Node{x, y}))
	}

	if x, err = b.Reshaped(x, size); err != nil {
		return value{}, err
	}
	if y, err = b.Reshaped(y, size); err != nil {
		return value{}, err
	}

	n, err := b.Contract(c.name(), b.conjugated(x), y, t, []int{0}, []int{0})
	return value{node: n}, err
}

func bindVecdot(b *binder, c *call) (value, error) {
	v, err := c.pair("x1", "x2")
	if err != nil {
		return value{}, err
	}

	x, y := v[0], v[1]
	if len(x.Shape) == 0 || len(y.Shape) == 0 {
		return value{}, fmt.Errorf("vecdot of shapes %s: expected at least one axis each", graph.FormatShapes(v[:]))
	}

	// Move the summed axis of each operand to the end.
	var moved [2]*graph.Node
	for i, n := range v {
		axis, ok, err := c.axis("axis", len(n.Shape))
		if err != nil {
			return value{}, err
		}
		if !ok {
			axis = len(n.Shape) - 1
		}
		axes := append(graph.Without(graph.AllAxes(len(n.Shape)), axis), axis)
		if moved[i], err = b.Permuted(n, axes); err != nil {
			return value{}, err
		}
	}

	t := meetingType(value{node: x}, value{node: y})
	return b.vecdot(c.name(), b.conjugated(moved[0]), moved[1], t)
}

// vecdot adds up products over the last axes. It is a product of matrices of one row and of one
// column, whose two axes of size 1 are dropped.
func (b *binder) vecdot(name string, x, y *graph.Node, t dtype.Type) (value, error) {
	if m, n := x.Shape[len(x.Shape)-1], y.Shape[len(y.Shape)-1]; m != n {
		return value{}, fmt.Errorf("%s: shapes %s do not go together: expected vectors of one length", name, graph.FormatShapes([]*graph.Node{x, y}))
	}

	row, err := b.Reshaped(x, append(x.Shape[:len(x.Shape)-1:len(x.Shape)-1], 1, x.Shape[len(x.Shape)-1]))
	if err != nil {
		return value{}, err
	}
	column, err := b.Reshaped(y, append(y.Shape[:len(y.Shape):len(y.Shape)], 1))
	if err != nil {
		return value{}, err
	}

	n, err := b.Product(name, row, column, t)
	if err == nil {
		n, err = b.Dropped(n, len(n.Shape)-1)
	}
	if err == nil {
		n, err = b.Dropped(n, len(n.Shape)-1)
	}
	return value{node: n}, err
}

func bindGram(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}
	if len(x.Shape) < 2 {
		return value{}, fmt.Errorf("gram of shape %s: expected at least two axes", syntax.FormatShape(x.Shape))
	}
	turned, err := b.Swapped(x)
	if err != nil {
		return value{}, err
	}
	n, err := b.Product(c.name(), turned, x, x.DType)
	return value{node: n}, err
}

// pair returns two operands.
func (c *call) pair(first, second string) (pair [2]*graph.Node, err error) {
	if pair[0], err = c.operand(first); err == nil {
		pair[1], err = c.operand(second)
	}
	return pair, err
}
