package bind

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// searchFunctions find places among sorted elements.
var searchFunctions = []function{
	{name: "searchsorted", params: "a, v, side=\"left\"", bind: bindSearch, doc: "where each of v belongs among sorted elements: before equal ones, or behind them (\"right\")"},
	{name: "digitize", params: "x, bins, right=False", bind: bindDigitize, doc: "in which of the bins between edges, which ascend or descend, each element is"},
}

// search returns the places of x among the sorted elements of a.
func (b *binder) search(name string, a, x *graph.Node, after bool) (*graph.Node, error) {
	if len(a.Shape) != 1 {
		return nil, fmt.Errorf("%s among elements of shape %s: expected one axis", name, syntax.FormatShape(a.Shape))
	}
	t := meetingType(value{node: a}, value{node: x})
	args := []*graph.Node{b.Cast(a, t), b.Cast(x, t)}
	return b.BulkNode(graph.Node{Args: args, DType: dtype.Int64, Shape: x.Shape, Bulk: pass.WholeArrays{Work: &order.Searching{After: after}}}), nil
}

func bindSearch(b *binder, c *call) (value, error) {
	a, err1 := c.operand("a")
	v, err2 := c.operand("v")
	if err := errors.Join(err1, err2); err != nil {
		return value{}, err
	}
	side := "left"
	if t := c.arg("side"); t != nil {
		side, _ = c.text("side")
		if side != "left" && side != "right" {
			return value{}, t.At.Errorf("side is \"left\" or \"right\"")
		}
	}
	n, err := b.search(c.name(), a, v, side == "right")
	return value{node: n}, err
}

func bindDigitize(b *binder, c *call) (value, error) {
	x, err1 := c.operand("x")
	bins, err2 := c.operand("bins")
	right, err3 := c.flag("right", false)
	if err := errors.Join(err1, err2, err3); err != nil {
		return value{}, err
	}

	if err := (takesBool | takesReal).check(c.name(), x.DType); err != nil {
		return value{}, err
	}
	if len(bins.Shape) != 1 {
		return value{}, c.arg("bins").At.Errorf("bins of shape %s: expected one axis", syntax.FormatShape(bins.Shape))
	}

	up, down, err := b.monotonic(bins)
	if err != nil {
		return value{}, err
	}

	switch {
	case up:
		n, err := b.search(c.name(), bins, x, !right)
		return value{node: n}, err
	case !down:
		return value{}, c.arg("bins").At.Errorf("bins ascend or descend")
	}

	// Search descending bins in reverse, and count the result from the other end.
	if bins, err = b.View(bins, reverseStep); err != nil {
		return value{}, err
	}
	n, err := b.search(c.name(), bins, x, !right)
	if err != nil {
		return value{}, err
	}

	count := b.Scalar(dtype.ScalarOf(int64(bins.Shape[0])))
	n, err = b.Apply(c.name(), kernel.Sub, count, n)
	return value{node: n}, err
}

var reverseStep = graph.MustMethods("[::-1]")

// monotonic reports whether elements ascend, and whether they descend, as float64.
func (b *binder) monotonic(n *graph.Node) (up, down bool, err error) {
	if err := (takesBool | takesReal).check("digitize", n.DType); err != nil {
		return false, false, err
	}
	values, err := b.float64s(n)
	up = slices.IsSorted(values)
	slices.Reverse(values)
	return up, slices.IsSorted(values), err
}

// float64s returns the elements of n as float64, which are computed now.
func (b *binder) float64s(n *graph.Node) (values []float64, err error) {
	t, err := b.Elements(b.Cast(n, dtype.Float64))
	if err != nil {
		return nil, err
	}
	err = t.Blocks(0, func(p []byte) error {
		for ; len(p) > 0; p = p[8:] {
			values = append(values, dtype.Load(dtype.Float64, p).Float64())
		}
		return nil
	})
	return values, err
}
