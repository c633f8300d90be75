package bind

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/syntax"
)

// A reductionCall holds the arguments of a reduction.
type reductionCall struct {
	x       *graph.Node
	mask    *graph.Node // nil for all elements
	initial value
	started bool // initial is given
	result  dtype.Type
	r       graph.Reduction
}

// reductionArgs reads the arguments of a reduction, as far as its function has them.
func (b *binder) reductionArgs(c *call, op reduce.Op) (*reductionCall, error) {
	x, err := c.operand(c.t.Fn.Params[0].Name)
	if err != nil {
		return nil, err
	}

	a := &reductionCall{x: x, r: graph.Reduction{Op: op}}
	if a.r.Axes, err = c.reducedAxes(op, len(x.Shape)); err != nil {
		return nil, err
	}
	if a.r.KeepDims, err = c.flag("keepdims", false); err != nil {
		return nil, err
	}

	if c.has("ddof") {
		if a.r.DDof, err = c.float("ddof", 0); err != nil {
			return nil, err
		}
	}

	if c.has("dtype") {
		if err := a.readType(b, c); err != nil {
			return nil, err
		}
	}

	if c.has("initial") {
		if a.initial, a.started, err = c.value("initial"); err != nil {
			return nil, err
		}
	}

	if c.has("where") {
		if a.mask, err = b.mask(c, x); err != nil {
			return nil, err
		}
	}

	return a, nil
}

// reducedAxes returns the axes that a reduction goes over. Like NumPy, those that are one operation
// over and over take 0 and -1 for the axis of a number, which has none.
func (c *call) reducedAxes(op reduce.Op, rank int) ([]int, error) {
	switch op {
	case reduce.Sum, reduce.Prod, reduce.Min, reduce.Max, reduce.FMin, reduce.FMax, reduce.ArgMin, reduce.ArgMax, reduce.Any, reduce.All, reduce.CountNonzero:
		axes, tuple, ok, err := c.ints("axis")
		if err == nil && rank == 0 && ok && !tuple && isAxisOfNumber(axes[0]) {
			return []int{}, nil
		}
	}
	return c.axes("axis", rank)
}

// isAxisOfNumber reports whether an axis is the one that an array of one element has.
func isAxisOfNumber(axis int) bool { return axis == 0 || axis == -1 }

// readType converts the elements to the type that is asked for.
func (a *reductionCall) readType(b *binder, c *call) (err error) {
	if a.result, err = c.dtype("dtype", dtype.Invalid); err != nil || !a.result.Valid() {
		return err
	}
	a.x = b.Cast(a.x, a.result)
	return nil
}

// mask returns the argument where, nil if it is True.
func (b *binder) mask(c *call, x *graph.Node) (*graph.Node, error) {
	v, ok, err := c.value("where")
	if !ok || err != nil || v.weak != nil && v.weak.Kind == dtype.KindBool && v.weak.Truth() {
		return nil, err
	}
	n, err := b.typed(v)
	if err != nil {
		return nil, err
	}
	if n.DType != dtype.Bool {
		return nil, c.arg("where").At.Errorf("where takes bool elements, found %s", n.DType)
	}
	if !graph.Stretches(n.Shape, x.Shape) {
		return nil, c.arg("where").At.Errorf("where of shape %s does not fit elements of shape %s", syntax.FormatShape(n.Shape), syntax.FormatShape(x.Shape))
	}
	return n, nil
}

// finish reduces, converts the result and combines it with the initial value.
func (a *reductionCall) finish(b *binder, name string, combine infixFunc) (value, error) {
	// A product takes a constant before it is rounded, as the two may be in range together only.
	if err := a.takeInitial(b, name); err != nil {
		return value{}, err
	}

	n, err := b.Reduced(name, a.x, a.mask, a.r)
	if err != nil {
		return value{}, err
	}
	if a.result.Valid() {
		n = b.Cast(n, a.result)
	}

	if !a.started {
		return value{node: n}, nil
	}

	initial, err := b.operand(a.initial, n.DType)
	if err != nil {
		return value{}, err
	}
	if len(initial.Shape) > 0 {
		return value{}, fmt.Errorf("initial of %s is a number, no array", name)
	}

	v, err := combine(b, name, value{node: n}, value{node: initial})
	if err != nil {
		return value{}, err
	}
	v.node = b.Cast(v.node, n.DType)
	return v, nil
}

// takeInitial moves a constant initial value into a reduction that is a product of floats or
// complex numbers.
func (a *reductionCall) takeInitial(b *binder, name string) error {
	t := reduce.ResultType(a.r.Op, a.x.DType)
	if !a.started || a.r.Op != reduce.Prod || kindSetOf(t)&takesInexact == 0 {
		return nil
	}
	initial, err := b.operand(a.initial, t)
	if err == nil && initial.Kind == graph.NodeScalar {
		a.r.Initial, a.started = initial.Scalar, false
	}
	return err
}

// bindSum binds sums and products, and the like without an initial value.
func bindReduction(op reduce.Op, combine infixFunc) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		a, err := b.reductionArgs(c, op)
		if err != nil {
			return value{}, err
		}
		return a.finish(b, c.name(), combine)
	}
}

// bindNaNReduction is bindReduction of the elements that are not NaN.
func bindNaNReduction(op reduce.Op, combine infixFunc) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		a, err := b.reductionArgs(c, op)
		if err != nil {
			return value{}, err
		}
		if kindSetOf(a.x.DType)&takesInexact != 0 {
			numbers := b.MapNode(kernel.Equal, []*graph.Node{a.x, a.x}, a.x.Shape)
			if a.mask != nil {
				numbers = b.MapNode(kernel.And, []*graph.Node{numbers, a.mask}, a.x.Shape)
			}
			a.mask, a.r.Numbers = numbers, true
		}
		return a.finish(b, c.name(), combine)
	}
}

// bindExtremum binds min and max. Elements that the mask leaves out take the initial value, so a
// mask requires one.
func bindExtremum(op reduce.Op, choose kernel.Op) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		a, err := b.reductionArgs(c, op)
		if err != nil {
			return value{}, err
		}

		if !a.started && a.mask != nil {
			return value{}, fmt.Errorf("%s with where needs initial, which is the result where nothing is picked", c.name())
		}
		if !a.started {
			return a.finish(b, c.name(), nil)
		}

		initial, err := b.operand(a.initial, a.x.DType)
		if err != nil {
			return value{}, err
		}
		if len(initial.Shape) > 0 {
			return value{}, c.arg("initial").At.Errorf("initial is a number, no array")
		}

		// With masked elements replaced by the initial value, the reduction itself needs no mask.
		if a.mask != nil {
			a.x, a.mask = b.MapNode(kernel.Where, []*graph.Node{a.mask, a.x, initial}, a.x.Shape), nil
		}

		if slices.Contains(a.x.Shape, 0) {
			empty := b.Reduction(a.x, nil, a.r)
			return value{node: b.Stretch(initial, empty.Shape)}, nil
		}

		a.initial = value{node: initial}
		return a.finish(b, c.name(), func(b *binder, name string, x, y value) (value, error) {
			return b.extremum(name, choose, x, y)
		})
	}
}

// bindArg binds argmin and argmax, of one axis or of all elements in C order.
func bindArg(bind func(b *binder, c *call) (value, error)) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		if t := c.arg("axis"); t != nil && (t.Kind == term.Tuple || t.Kind == term.List) {
			return value{}, t.At.Errorf("%s takes one axis", c.name())
		}
		return bind(b, c)
	}
}

func bindRange(b *binder, c *call) (value, error) {
	a, err := b.reductionArgs(c, reduce.Max)
	if err != nil {
		return value{}, err
	}

	if a.x.DType == dtype.Bool {
		return value{}, errors.New("ptp takes integer, float or complex elements, found bool")
	}

	largest, err := b.Reduced(c.name(), a.x, nil, a.r)
	if err != nil {
		return value{}, err
	}
	a.r.Op = reduce.Min
	smallest, err := b.Reduced(c.name(), a.x, nil, a.r)
	if err != nil {
		return value{}, err
	}

	n, err := b.Apply(c.name(), kernel.Sub, largest, smallest)
	return value{node: n}, err
}
