package bind

import (
	"fmt"
	"math"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// bindNorm is numpy.linalg.norm: of vectors along one axis, or of matrices along two.
func bindNorm(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}

	axes, _, given, err := c.ints("axis")
	if err != nil {
		return value{}, err
	}
	if !given {
		axes = graph.AllAxes(len(x.Shape))
	}
	for i := range axes {
		if axes[i], err = normalAxis(axes[i], len(x.Shape)); err != nil {
			return value{}, c.arg("axis").At.Wrap(err)
		}
	}

	keep, err := c.flag("keepdims", false)
	if err != nil {
		return value{}, err
	}

	m := norm{b: b, x: b.Cast(x, inexactType(value{node: x})), axes: axes, keep: keep}
	n, err := m.bind(c, given)
	return value{node: n}, err
}

// A norm is a call of norm. The axes are in the order of the call.
type norm struct {
	b    *binder
	x    *graph.Node
	axes []int
	keep bool
}

func (m *norm) bind(c *call, axesGiven bool) (*graph.Node, error) {
	order := c.arg("ord")
	if len(m.axes) == 2 && m.axes[0] == m.axes[1] {
		return nil, c.arg("axis").At.Errorf("axis names an axis twice")
	}

	if order == nil && (!axesGiven || len(m.axes) <= 2) {
		return m.over(reduce.Norm, m.axes...)
	}

	if text, ok := c.text("ord"); ok {
		switch {
		case len(m.axes) == 2 && text == "fro":
			return m.over(reduce.Norm, m.axes...)
		case len(m.axes) == 2 && text == "nuc":
			return m.ofSingularValues(reduce.Sum)
		}
		return nil, order.At.Errorf("a norm of kind %q of %d axes is not there: expected \"fro\" or \"nuc\" and 2 axes, or a number", text, len(m.axes))
	}

	p, err := c.float("ord", 2)
	if err != nil {
		return nil, err
	}
	switch len(m.axes) {
	case 1:
		return m.ofVectors(p)
	case 2:
		return m.ofMatrices(p)
	}
	return nil, fmt.Errorf("norm of %d axes: expected 1 for vectors or 2 for matrices", len(m.axes))
}

// over reduces over some axes at once.
func (m *norm) over(op reduce.Op, axes ...int) (*graph.Node, error) {
	r := graph.Reduction{Op: op, Axes: sortedAxes(axes), KeepDims: m.keep}
	return m.reduced(m.x, r)
}

// reduced reduces magnitudes. The largest of no magnitudes is 0.
func (m *norm) reduced(n *graph.Node, r graph.Reduction) (*graph.Node, error) {
	if (r.Op == reduce.Max || r.Op == reduce.MaxAbs) && slices.Contains(n.Shape, 0) {
		made := m.b.Reduction(n, nil, r)
		return m.b.Stretch(m.b.Scalar(dtype.ScalarOf(0.0).Convert(made.DType)), made.Shape), nil
	}
	return m.b.Reduced("norm", n, nil, r)
}

func (m *norm) ofVectors(p float64) (*graph.Node, error) {
	switch p {
	case 2:
		return m.over(reduce.Norm, m.axes...)
	case 1:
		return m.over(reduce.SumAbs, m.axes...)
	case math.Inf(1):
		return m.over(reduce.MaxAbs, m.axes...)
	case math.Inf(-1):
		return m.over(reduce.MinAbs, m.axes...)
	case 0:
		n, err := m.over(reduce.CountNonzero, m.axes...)
		if err != nil {
			return nil, err
		}
		return m.b.Cast(n, m.x.DType.Part()), nil
	}
	return m.ofPower(p)
}

// ofPower returns (Σ |x|**p) ** (1/p).
func (m *norm) ofPower(p float64) (*graph.Node, error) {
	power := func(n *graph.Node, p float64) (*graph.Node, error) {
		exponent := number.Float(p)
		v, err := bindPower(m.b, "norm", value{node: n}, value{weak: &exponent})
		return v.node, err
	}

	abs, err := m.b.Apply("norm", kernel.Abs, m.x)
	if err != nil {
		return nil, err
	}
	if m.x, err = power(abs, p); err != nil {
		return nil, err
	}

	sum, err := m.over(reduce.Sum, m.axes...)
	if err != nil {
		return nil, err
	}
	return power(sum, 1/p)
}

// ofMatrices returns a matrix norm: the largest or smallest sum of magnitudes over columns or rows,
// or the largest or smallest singular value.
func (m *norm) ofMatrices(p float64) (*graph.Node, error) {
	along, across := m.axes[0], m.axes[1]
	op := reduce.Max

	// Order 1 takes sums down the columns, order infinity along the rows. The negative orders take
	// the smallest one.
	switch p {
	case 1:
	case -1:
		op = reduce.Min
	case 2:
		return m.ofSingularValues(reduce.Max)
	case -2:
		return m.ofSingularValues(reduce.Min)
	case math.Inf(1):
		along, across = across, along
	case math.Inf(-1):
		along, across = across, along
		op = reduce.Min
	default:
		return nil, fmt.Errorf("norm of order %v of matrices is not there: expected \"fro\", \"nuc\", 1, -1, 2, -2, inf or -inf", p)
	}

	keep := m.keep
	m.keep = true // the axis is reduced with the other one below
	sums, err := m.over(reduce.SumAbs, along)

	if err != nil {
		return nil, err
	}

	m.x = sums
	m.keep = keep
	return m.over(op, along, across)
}

// ofSingularValues returns the largest, the smallest or the sum of the singular values.
func (m *norm) ofSingularValues(op reduce.Op) (*graph.Node, error) {
	rest := slices.DeleteFunc(graph.AllAxes(len(m.x.Shape)), func(axis int) bool { return slices.Contains(m.axes, axis) })

	// The decomposition takes matrices in the last two axes.
	matrices, err := m.b.Permuted(m.x, slices.Concat(rest, m.axes))
	if err != nil {
		return nil, err
	}
	v, err := m.b.singularValues("norm", matrices)
	if err != nil {
		return nil, err
	}

	n, err := m.reduced(v.node, graph.Reduction{Op: op, Axes: []int{len(rest)}})
	if err != nil || !m.keep {
		return n, err
	}

	shape := slices.Clone(m.x.Shape)
	shape[m.axes[0]], shape[m.axes[1]] = 1, 1
	return m.b.Reshaped(n, shape)
}
