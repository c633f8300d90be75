package bind

import (
	"github.com/tstore/tstore/compute/internal/graph"
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
	{name: "isclose", params: closeParams, bind: defined(closeText), doc: "whether abs(a - b) is at most atol + rtol*abs(b)"},
	{name: "allclose", params: closeParams, bind: defined("all(isclose(a, b, rtol, atol, equal_nan))"), doc: "whether all elements are close"},
}

// truth returns whether elements are not 0.
func (b *binder) truth(n *graph.Node) *graph.Node {
	switch {
	case n.DType == dtype.Bool:
		return n
	case n.Kind == graph.NodeScalar:
		return b.Scalar(dtype.ScalarOf(!n.Scalar.IsZero()))
	}
	zero := b.Scalar(dtype.ScalarOf(int8(0)).Convert(n.DType))
	return b.MapNode(kernel.NotEqual, []*graph.Node{n, zero}, n.Shape)
}

// logical binds an operation on the truth of operands.
func logical(op kernel.Op) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		v, err := c.values()
		if err != nil {
			return value{}, err
		}

		truths := make([]*graph.Node, len(v))
		for i := range v {
			n, err := b.typed(v[i])
			if err != nil {
				return value{}, err
			}
			truths[i] = b.truth(n)
		}

		n, err := b.Apply(c.name(), op, truths...)
		return value{node: n}, err
	}
}

func bindLogicalNot(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}
	if x.DType == dtype.Bool {
		return value{node: b.MapNode(kernel.Invert, []*graph.Node{x}, x.Shape)}, nil
	}
	return value{node: b.MapNode(kernel.Not, []*graph.Node{x}, x.Shape)}, nil
}

// classify binds a question about floats, whose answer for integers is always the same.
func classify(op kernel.Op, ofIntegers bool) func(b *binder, c *call) (value, error) {
	answer := dtype.ScalarOf(ofIntegers)
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("x")
		if err != nil {
			return value{}, err
		}
		if kindSetOf(x.DType)&takesWhole != 0 {
			return value{node: b.Stretch(b.Scalar(answer), x.Shape)}, nil
		}
		return b.mapped(c.name(), op, meetingType, takesInexact, value{node: x})
	}
}

const (
	closeParams = "a, b, rtol=1e-05, atol=1e-08, equal_nan=False"
	closeText   = "((abs(a - b*1.0) <= atol + rtol*abs(b*1.0)) & isfinite(b*1.0)) | (a == b*1.0) | (equal_nan & isnan(a) & isnan(b*1.0))"
)
