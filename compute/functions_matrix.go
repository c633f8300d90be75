package compute

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
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
	{name: "gram", params: "x", bind: bindGram, doc: "x.mT @ x"},
	{name: "trace", params: "a, offset=0, axis1=0, axis2=1", bind: bindTrace, doc: "sums of the diagonals of the matrices that two axes make; of bools and integers int64 or uint64"},
}

// bindDot is matmul for up to two axes of b, and otherwise a contraction.
func bindDot(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}
	axis := max(len(y.shape)-2, 0)
	return b.dot(c.name(), x, y, t, axis)
}

func bindInner(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}
	return b.dot(c.name(), x, y, t, len(y.shape)-1)
}

// dot sums over the last axis of x and one of y. Numbers multiply.
func (b *binder) dot(name string, x, y *node, t dtype.Type, axis int) (value, error) {
	if len(x.shape) == 0 || len(y.shape) == 0 {
		n, err := b.apply(name, multiplication(t), b.cast(x, t), b.cast(y, t))
		return value{node: n}, err
	}
	n, err := b.contract(name, x, y, t, []int{len(x.shape) - 1}, []int{axis})
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
	if x, err = b.reshaped(x, []int{numElems(x.shape), 1}); err != nil {
		return value{}, err
	}
	if y, err = b.reshaped(y, []int{numElems(y.shape)}); err != nil {
		return value{}, err
	}
	n, err := b.apply(c.name(), multiplication(t), b.cast(x, t), b.cast(y, t))
	return value{node: n}, err
}

// conjugated returns the complex conjugate of complex elements, and others themselves.
func (b *binder) conjugated(n *node) *node {
	if n.dtype.Kind() != dtype.KindComplex {
		return n
	}
	return b.mapNode(kernel.Conj, []*node{n}, n.shape)
}

// bindTrace is a sum of a.diagonal.
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
	n, err := b.view(x, step)
	if err != nil {
		return value{}, fmt.Errorf("%s: %w", c.name(), err)
	}
	n, err = b.reduced(c.name(), n, nil, reduction{op: reduce.Sum, axes: []int{len(n.shape) - 1}})
	return value{node: n}, err
}

func bindVdot(b *binder, c *call) (value, error) {
	x, y, t, err := b.factors(c)
	if err != nil {
		return value{}, err
	}
	size := []int{numElems(x.shape)}
	if numElems(y.shape) != size[0] {
		return value{}, fmt.Errorf("vdot: expected as many elements of both, found shapes %s", formatShapes([]*node{x, y}))
	}
	if x, err = b.reshaped(x, size); err != nil {
		return value{}, err
	}
	if y, err = b.reshaped(y, size); err != nil {
		return value{}, err
	}
	n, err := b.contract(c.name(), b.conjugated(x), y, t, []int{0}, []int{0})
	return value{node: n}, err
}

func bindVecdot(b *binder, c *call) (value, error) {
	v, err := c.pair("x1", "x2")
	if err != nil {
		return value{}, err
	}
	x, y := v[0], v[1]
	if len(x.shape) == 0 || len(y.shape) == 0 {
		return value{}, fmt.Errorf("vecdot of shapes %s: expected at least one axis each", formatShapes(v[:]))
	}
	var moved [2]*node
	for i, n := range v {
		axis, ok, err := c.axis("axis", len(n.shape))
		if err != nil {
			return value{}, err
		}
		if !ok {
			axis = len(n.shape) - 1
		}
		axes := append(without(allAxes(len(n.shape)), axis), axis)
		if moved[i], err = b.permuted(n, axes); err != nil {
			return value{}, err
		}
	}
	t := meetingType(value{node: x}, value{node: y})
	return b.vecdot(c.name(), b.conjugated(moved[0]), moved[1], t)
}

// vecdot sums products over the last axes.
func (b *binder) vecdot(name string, x, y *node, t dtype.Type) (value, error) {
	if m, n := x.shape[len(x.shape)-1], y.shape[len(y.shape)-1]; m != n {
		return value{}, fmt.Errorf("%s: shapes %s do not go together: expected vectors of one length", name, formatShapes([]*node{x, y}))
	}
	row, err := b.reshaped(x, append(x.shape[:len(x.shape)-1:len(x.shape)-1], 1, x.shape[len(x.shape)-1]))
	if err != nil {
		return value{}, err
	}
	column, err := b.reshaped(y, append(y.shape[:len(y.shape):len(y.shape)], 1))
	if err != nil {
		return value{}, err
	}
	n, err := b.product(name, row, column, t)
	if err == nil {
		n, err = b.dropped(n, len(n.shape)-1)
	}
	if err == nil {
		n, err = b.dropped(n, len(n.shape)-1)
	}
	return value{node: n}, err
}

func bindGram(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}
	if len(x.shape) < 2 {
		return value{}, fmt.Errorf("gram of shape %s: expected at least two axes", formatShape(x.shape))
	}
	turned, err := b.swapped(x)
	if err != nil {
		return value{}, err
	}
	n, err := b.product(c.name(), turned, x, x.dtype)
	return value{node: n}, err
}

// pair returns two operands.
func (c *call) pair(first, second string) (pair [2]*node, err error) {
	if pair[0], err = c.operand(first); err == nil {
		pair[1], err = c.operand(second)
	}
	return pair, err
}
