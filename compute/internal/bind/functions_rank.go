package bind

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/order"
	"github.com/tstore/tstore/compute/internal/pass"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

const quantileParams = "a, q, axis=None, method=\"linear\", keepdims=False"

// rankFunctions reduce over one axis, a tuple of them, or all of them if axis is None, to elements
// of some ranks.
var rankFunctions = []function{
	{name: "median", params: axisParams, bind: bindMedian(false), doc: "the element in the middle, or the mean of the two there; NaN if one is"},
	{name: "quantile", params: quantileParams, bind: bindQuantile(1, false), doc: "what a share q of the elements, a number or an array, is not above; NaN if one is"},
	{name: "percentile", params: quantileParams, bind: bindQuantile(100, false), doc: "quantile of q/100"},
	{name: "nanmedian", params: axisParams, bind: bindMedian(true), doc: "median of what is not NaN"},
	{name: "nanquantile", params: quantileParams, bind: bindQuantile(1, true), doc: "quantile of what is not NaN"},
	{name: "nanpercentile", params: quantileParams, bind: bindQuantile(100, true), doc: "percentile of what is not NaN"},
}

// bindMedian binds median and nanmedian.
func bindMedian(skipNaN bool) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		k := &order.Ranks{Name: c.name(), Levels: []float64{0.5}, Median: true, SkipNaN: skipNaN}
		n, err := b.ranked(c, k, x, []int{}, inexactType(value{node: x}))
		return value{node: n}, err
	}
}

// bindQuantile binds quantiles whose levels run from 0 to whole: 1 for quantiles, 100 for
// percentiles.
func bindQuantile(whole float64, skipNaN bool) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		x, err := c.operand("a")
		if err != nil {
			return value{}, err
		}
		if err := (takesBool | takesReal).check(c.name(), x.DType); err != nil {
			return value{}, err
		}

		k := &order.Ranks{Name: c.name(), SkipNaN: skipNaN}
		if k.Method, err = readMethod(c); err != nil {
			return value{}, err
		}

		l, err := b.levels(c, whole)
		if err != nil {
			return value{}, err
		}
		k.Levels = l.values

		// Levels that are all 0 or 1 pick the first or the last element: nothing is interpolated.
		if l.whole && k.Method.Name == "linear" {
			k.Method.Picks = true
		}

		t := x.DType
		if !k.Method.Picks {
			if t == dtype.Bool {
				return value{}, fmt.Errorf("%s by %q of bool elements, which have nothing in between: choose a method that picks elements, such as \"nearest\"", c.name(), k.Method.Name)
			}
			t = meetingType(value{node: x}, l.meets)
		}

		n, err := b.ranked(c, k, x, l.shape, t)
		return value{node: n}, err
	}
}

func readMethod(c *call) (order.Method, error) {
	name := "linear"
	if t := c.arg("method"); t != nil {
		text, ok := c.text("method")
		if !ok {
			return order.Method{}, t.At.Errorf("method is a name in quotes")
		}
		name = text
	}
	m, err := order.MethodOf(name)
	if err != nil {
		return m, c.arg("method").At.Wrap(err)
	}
	return m, nil
}

// levels are the argument q of a quantile.
type levels struct {
	values []float64
	shape  []int
	whole  bool  // they are integers
	meets  value // what the elements meet in the type of the result
}

// levels reads the levels, and evaluates them if they are an expression. They must be from 0 to
// whole.
func (b *binder) levels(c *call, whole float64) (l levels, err error) {
	v, ok, err := c.value("q")
	if err != nil || !ok {
		return l, cmp.Or(err, fmt.Errorf("%s needs its argument q", c.t.Fn.Signature()))
	}

	n, err := b.typed(v)
	if err != nil {
		return l, err
	}
	if n.DType.Kind() == dtype.KindComplex || len(n.Shape) > 2 {
		return l, c.arg("q").At.Errorf("q is real numbers, of two axes at most")
	}

	l.shape, l.meets = n.Shape, value{node: b.Scalar(dtype.ScalarOf(0.0).Convert(inexactType(value{node: n})))}
	if v.node == nil {
		l.meets = value{weak: &number.Number{Kind: dtype.KindFloat}}
	}
	l.whole = whole == 1 && takesWhole.check("", n.DType) == nil

	// The levels are needed while binding, as the work depends on them.
	t, err := b.Elements(b.Cast(n, dtype.Float64))
	if err != nil {
		return l, err
	}

	err = t.Blocks(0, func(p []byte) error {
		for ; len(p) > 0; p = p[8:] {
			q := dtype.Load(dtype.Float64, p).Float64()
			if !(q >= 0 && q <= whole) {
				return c.arg("q").At.Errorf("q of %v: expected numbers from 0 to %v", q, whole)
			}
			l.values = append(l.values, q/whole)
		}
		return nil
	})
	return l, err
}

// ranked returns the node of the ranks k of x. levels is the shape of the levels, and t the type of
// the elements.
func (b *binder) ranked(c *call, k *order.Ranks, x *graph.Node, levels []int, t dtype.Type) (*graph.Node, error) {
	var err error
	if k.Axes, err = c.axes("axis", len(x.Shape)); err != nil {
		return nil, err
	}

	keep, err := c.flag("keepdims", false)
	if err != nil {
		return nil, err
	}

	// As in NumPy, the axes of the levels come before those of x that remain.
	shape, length := slices.Clone(levels), 1
	for axis, size := range x.Shape {
		switch {
		case !slices.Contains(k.Axes, axis):
			shape = append(shape, size)
		case keep:
			shape = append(shape, 1)
		}
		if slices.Contains(k.Axes, axis) {
			length *= size
		}
	}

	if length == 0 && !k.Median && !k.SkipNaN && graph.NumElems(shape) > 0 {
		return nil, fmt.Errorf("%s of no elements: shape %s over axes %v", c.name(), syntax.FormatShape(x.Shape), k.Axes)
	}
	if length == 0 && t.Kind() != dtype.KindFloat && t.Kind() != dtype.KindComplex {
		t = dtype.Float64 // for NaN
	}

	return b.BulkNode(graph.Node{Args: []*graph.Node{x}, DType: t, Shape: shape, Bulk: pass.WholeArrays{Work: k}}), nil
}
