package bind

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

var scanFunctions = []function{
	{name: "cumsum", params: "a, axis=None, dtype=None", bind: bindScan(reduce.Sum), doc: "sum of all elements up to each, along an axis or in C order"},
	{name: "cumprod", params: "a, axis=None, dtype=None", bind: bindScan(reduce.Prod), doc: "product of all elements up to each"},
	{name: "nancumsum", params: "a, axis=None, dtype=None", bind: bindNaNScan(reduce.Sum, 0), doc: "cumsum in which NaN counts as 0"},
	{name: "nancumprod", params: "a, axis=None, dtype=None", bind: bindNaNScan(reduce.Prod, 1), doc: "cumprod in which NaN counts as 1"},
	{name: "diff", params: "a, n=1, axis=-1", bind: bindDiff, doc: "differences of neighbours, n times; of bools whether they differ"},
	{name: "histogram", params: "a, bins=10, range=None, weights=None", bind: bindHistogram, doc: "how many elements are in each of so many bins of equal width, or of those between edges in a list (the counts only)"},
	{name: "histogram_bin_edges", params: "a, bins=10, range=None", bind: bindEdges, doc: "the edges of those bins"},
	{name: "bincount", params: "x, weights=None, minlength=0", bind: bindBincount, doc: "how often each of 0, 1, 2, … is among integers"},
}

var ravelStep = graph.MustMethods(".ravel()")

// bindScan binds a running reduction.
func bindScan(op reduce.Op) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		return b.scan(c, op, x)
	}
}

// bindNaNScan is bindScan with a number in place of NaN.
func bindNaNScan(op reduce.Op, number float64) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		if kindSetOf(x.DType)&takesInexact != 0 {
			numbers := b.MapNode(kernel.Equal, []*graph.Node{x, x}, x.Shape)
			instead := b.Scalar(dtype.ScalarOf(number).Convert(x.DType))
			x = b.MapNode(kernel.Where, []*graph.Node{numbers, x, instead}, x.Shape)
		}
		return b.scan(c, op, x)
	}
}

// scan returns the running reduction of x along the axis, in the type that the call asks for.
func (b *binder) scan(c *call, op reduce.Op, x *graph.Node) (value, error) {
	t, err := c.dtype("dtype", dtype.ResultForSum(x.DType))
	if err != nil {
		return value{}, err
	}

	// As in NumPy, without an axis the elements are taken as one row.
	if c.arg("axis") == nil || len(x.Shape) == 0 {
		if x, err = b.View(x, ravelStep); err != nil {
			return value{}, err
		}
	}

	axis, _, err := c.axis("axis", len(x.Shape))
	if err != nil {
		return value{}, err
	}

	x = b.Cast(x, t)
	adds := t
	if t == dtype.Bool { // bools are added as integers, and the result is converted back
		adds = dtype.Int64
	}

	r := graph.Reduction{Op: op, Axes: []int{axis}}
	n := graph.Node{Kind: graph.NodeScan, Args: []*graph.Node{b.Cast(x, adds)}, DType: adds, Shape: x.Shape, Reduce: r}
	return value{node: b.Cast(b.Add(n, fmt.Sprint(r)), t)}, nil
}

// bindDiff subtracts from each element the one before it along the axis, n times.
func bindDiff(b *binder, c *call) (value, error) {
	x, err := c.operand("a")
	if err != nil {
		return value{}, err
	}

	n, err := c.int("n", 1)
	if err != nil {
		return value{}, err
	}
	if len(x.Shape) == 0 {
		return value{}, errors.New("diff of a number: expected an array")
	}

	axis, ok, err := c.axis("axis", len(x.Shape))
	if err != nil {
		return value{}, err
	}
	if !ok {
		axis = len(x.Shape) - 1
	}
	if n = min(n, x.Shape[axis]); n < 0 || n > maxDiffs { // nothing is left after as many steps as elements
		return value{}, c.arg("n").At.Errorf("n is from 0 to %d, or more than there are elements", maxDiffs)
	}

	op := kernel.Sub
	if x.DType == dtype.Bool {
		op = kernel.NotEqual
	}

	for range n {
		later, err1 := b.Slice(x, axis, view.From(1))
		earlier, err2 := b.Slice(x, axis, view.Until(-1))
		if err := errors.Join(err1, err2); err != nil {
			return value{}, err
		}
		if x, err = b.Apply(c.name(), op, later, earlier); err != nil {
			return value{}, err
		}
	}
	return value{node: x}, nil
}

// maxDiffs bounds how often diff is repeated, as steps double each time.
const maxDiffs = 16
