package compute

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

var logicFunctions = []function{
	{name: "logical_and", params: "x1, x2", bind: logical(kernel.And), doc: "whether both are not 0"},
	{name: "logical_or", params: "x1, x2", bind: logical(kernel.Or), doc: "whether one of them is not 0"},
	{name: "logical_xor", params: "x1, x2", bind: logical(kernel.Xor), doc: "whether just one of them is not 0"},
	{name: "logical_not", params: "x", bind: bindLogicalNot, doc: "whether x is 0"},
	{name: "isnan", params: "x", bind: classify(kernel.IsNaN, false), doc: "whether x is not a number"},
	{name: "isinf", params: "x", bind: classify(kernel.IsInf, false), doc: "whether x is infinite"},
	{name: "isfinite", params: "x", bind: classify(kernel.IsFinite, true), doc: "whether x is neither infinite nor NaN"},
	{name: "signbit", params: "x", bind: elementwise(kernel.SignBit, mathType, takesFloat), doc: "whether x has a minus sign, which 0 and NaN can have"},
}

// truth returns whether elements are not 0.
func (b *binder) truth(n *node) *node {
	switch {
	case n.dtype == dtype.Bool:
		return n
	case n.kind == nodeScalar:
		return b.scalar(dtype.ScalarOf(!n.scalar.IsZero()))
	}
	zero := b.scalar(dtype.ScalarOf(int8(0)).Convert(n.dtype))
	return b.mapNode(kernel.NotEqual, []*node{n, zero}, n.shape)
}

// logical binds an operation on the truth of operands.
func logical(op kernel.Op) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		v, err := c.values()
		if err != nil {
			return value{}, err
		}
		truths := make([]*node, len(v))
		for i := range v {
			n, err := b.typed(v[i])
			if err != nil {
				return value{}, err
			}
			truths[i] = b.truth(n)
		}
		n, err := b.apply(c.name(), op, truths...)
		return value{node: n}, err
	}
}

func bindLogicalNot(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}
	if x.dtype == dtype.Bool {
		return value{node: b.mapNode(kernel.Invert, []*node{x}, x.shape)}, nil
	}
	return value{node: b.mapNode(kernel.Not, []*node{x}, x.shape)}, nil
}

// classify binds a question about floats, whose answer for integers is always the same.
func classify(op kernel.Op, ofIntegers bool) func(b *binder, c *call) (value, error) {
	answer := dtype.ScalarOf(ofIntegers)
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("x")
		if err != nil {
			return value{}, err
		}
		if kindSetOf(x.dtype)&takesWhole != 0 {
			return value{node: b.stretch(b.scalar(answer), x.shape)}, nil
		}
		return b.mapped(c.name(), op, meetingType, takesInexact, value{node: x})
	}
}
