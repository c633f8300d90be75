package compute

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// A reductionCall is what the arguments of a reduction say.
type reductionCall struct {
	x       *node
	mask    *node // nil for all elements
	initial value
	started bool // initial is given
	result  dtype.Type
	r       reduction
}

// reductionArgs reads those arguments of a reduction that it has.
func (b *binder) reductionArgs(c *call, op reduce.Op) (*reductionCall, error) {
	x, err := c.operand(c.t.fn.parsed[0].name)
	if err != nil {
		return nil, err
	}
	a := &reductionCall{x: x, r: reduction{op: op}}
	if a.r.axes, err = c.reducedAxes(op, len(x.shape)); err != nil {
		return nil, err
	}
	if a.r.keepDims, err = c.flag("keepdims", false); err != nil {
		return nil, err
	}
	if c.has("ddof") {
		if a.r.ddof, err = c.float("ddof", 0); err != nil {
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

// reducedAxes returns the axes that a reduction goes over. Like NumPy, those that are one operation over and over take 0
// and -1 for the axis of a number, which has none.
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
	a.x = b.cast(a.x, a.result)
	return nil
}

// mask returns the argument where, nil if it is True.
func (b *binder) mask(c *call, x *node) (*node, error) {
	v, ok, err := c.value("where")
	if !ok || err != nil || v.weak != nil && v.weak.kind == dtype.KindBool && v.weak.truth() {
		return nil, err
	}
	n, err := b.typed(v)
	if err != nil {
		return nil, err
	}
	if n.dtype != dtype.Bool {
		return nil, c.arg("where").at.errorf("where takes bool elements, found %s", n.dtype)
	}
	if !stretches(n.shape, x.shape) {
		return nil, c.arg("where").at.errorf("where of shape %s does not fit elements of shape %s", formatShape(n.shape), formatShape(x.shape))
	}
	return n, nil
}

// finish reduces, converts the result, and combines it with the initial value.
func (a *reductionCall) finish(b *binder, name string, combine infixFunc) (value, error) {
	// A product takes a constant before it is rounded, as the two may be in range together only.
	if err := a.takeInitial(b, name); err != nil {
		return value{}, err
	}
	n, err := b.reduced(name, a.x, a.mask, a.r)
	if err != nil {
		return value{}, err
	}
	if a.result.Valid() {
		n = b.cast(n, a.result)
	}
	if !a.started {
		return value{node: n}, nil
	}
	initial, err := b.operand(a.initial, n.dtype)
	if err != nil {
		return value{}, err
	}
	if len(initial.shape) > 0 {
		return value{}, fmt.Errorf("initial of %s is a number, no array", name)
	}
	v, err := combine(b, name, value{node: n}, value{node: initial})
	if err != nil {
		return value{}, err
	}
	v.node = b.cast(v.node, n.dtype)
	return v, nil
}

// takeInitial moves a constant initial value into a reduction that is a product of floats or complex numbers.
func (a *reductionCall) takeInitial(b *binder, name string) error {
	t := reduce.ResultType(a.r.op, a.x.dtype)
	if !a.started || a.r.op != reduce.Prod || kindSetOf(t)&takesInexact == 0 {
		return nil
	}
	initial, err := b.operand(a.initial, t)
	if err == nil && initial.kind == nodeScalar {
		a.r.initial, a.started = initial.scalar, false
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
		if kindSetOf(a.x.dtype)&takesInexact != 0 {
			numbers := b.mapNode(kernel.Equal, []*node{a.x, a.x}, a.x.shape)
			if a.mask != nil {
				numbers = b.mapNode(kernel.And, []*node{numbers, a.mask}, a.x.shape)
			}
			a.mask, a.r.numbers = numbers, true
		}
		return a.finish(b, c.name(), combine)
	}
}

// bindExtremum binds min and max. Elements that are masked out take the initial value, which must be there then, as
// it is the result where nothing else is.
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
		initial, err := b.operand(a.initial, a.x.dtype)
		if err != nil {
			return value{}, err
		}
		if len(initial.shape) > 0 {
			return value{}, c.arg("initial").at.errorf("initial is a number, no array")
		}
		if a.mask != nil {
			a.x, a.mask = b.mapNode(kernel.Where, []*node{a.mask, a.x, initial}, a.x.shape), nil
		}
		if slices.Contains(a.x.shape, 0) {
			empty := b.reduction(a.x, nil, a.r)
			return value{node: b.stretch(initial, empty.shape)}, nil
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
		if t := c.arg("axis"); t != nil && (t.kind == termTuple || t.kind == termList) {
			return value{}, t.at.errorf("%s takes one axis", c.name())
		}
		return bind(b, c)
	}
}

func bindRange(b *binder, c *call) (value, error) {
	a, err := b.reductionArgs(c, reduce.Max)
	if err != nil {
		return value{}, err
	}
	if a.x.dtype == dtype.Bool {
		return value{}, errors.New("ptp takes integer, float or complex elements, found bool")
	}
	largest, err := b.reduced(c.name(), a.x, nil, a.r)
	if err != nil {
		return value{}, err
	}
	a.r.op = reduce.Min
	smallest, err := b.reduced(c.name(), a.x, nil, a.r)
	if err != nil {
		return value{}, err
	}
	n, err := b.apply(c.name(), kernel.Sub, largest, smallest)
	return value{node: n}, err
}
