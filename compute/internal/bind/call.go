package bind

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A call gives a function its arguments.
type call struct {
	b    *binder
	t    *term.Term
	room [3]value // for values
}

func (c *call) name() string {
	if c.t.Fn.Symbol != "" {
		return c.t.Fn.Symbol
	}
	return c.t.Fn.Name
}

// has reports whether the function has a parameter.
func (c *call) has(name string) bool { return c.t.Fn.Param(name) >= 0 }

// arg returns the term of a parameter. It returns nil if the argument is left out or None.
func (c *call) arg(name string) *term.Term {
	i := c.t.Fn.Param(name)
	if i < 0 {
		panic("BUG: " + c.t.Fn.Name + " has no parameter " + name)
	}
	if t := c.t.Args[i]; t != nil && t.Kind != term.None {
		return t
	}
	return nil
}

// isNone reports whether an argument is None, and not just left out.
func (c *call) isNone(name string) bool {
	t := c.t.Args[c.t.Fn.Param(name)]
	return t != nil && t.Kind == term.None
}

// values returns all arguments, which are operands that must be there. It is called once.
func (c *call) values() ([]value, error) {
	values := c.room[:0]
	for _, t := range c.t.Args {
		v, err := c.b.bind(t)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// value returns an operand. ok is false if the argument is left out.
func (c *call) value(name string) (v value, ok bool, err error) {
	t := c.arg(name)
	if t == nil {
		return value{}, false, nil
	}
	v, err = c.b.bind(t)
	return v, true, err
}

// operand returns an operand that must be there, with the type it has on its own if it is a number.
func (c *call) operand(name string) (*graph.Node, error) {
	v, ok, err := c.value(name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s needs its argument %s", c.t.Fn.Signature(), name)
	}
	return c.b.typed(v)
}

// Number returns an argument that is a number. It returns otherwise if the argument is left out.
func (c *call) number(name string, otherwise number.Number) (number.Number, error) {
	v, ok, err := c.value(name)
	if !ok || err != nil {
		return otherwise, err
	}
	n, constant := v.constant()
	if !constant {
		return number.Number{}, c.arg(name).At.Errorf("%s is a number, no array", name)
	}
	return n, nil
}

// float returns an argument that is a real number.
func (c *call) float(name string, otherwise float64) (float64, error) {
	n, err := c.number(name, number.Float(otherwise))
	if err != nil {
		return 0, err
	}
	if n.Kind == dtype.KindComplex {
		return 0, c.arg(name).At.Errorf("%s is a real number", name)
	}
	return n.Float64()
}

// int returns an argument that is an integer.
func (c *call) int(name string, otherwise int) (int, error) {
	t := c.arg(name)
	if t == nil {
		return otherwise, nil
	}
	return c.b.integer(t)
}

// flag returns an argument that is True or False.
func (c *call) flag(name string, otherwise bool) (bool, error) {
	n, err := c.number(name, number.Bool(otherwise))
	if err != nil {
		return false, err
	}
	if !n.IsInt() {
		return false, c.arg(name).At.Errorf("%s is True or False", name)
	}
	return n.Truth(), nil
}

// ints returns an argument that is an integer or a tuple of integers, and which of the two it is.
// ok is false if the argument is left out.
func (c *call) ints(name string) (ints []int, tuple, ok bool, err error) {
	t := c.arg(name)
	if t == nil {
		return nil, false, false, nil
	}

	if t.Kind != term.Tuple && t.Kind != term.List {
		v, err := c.b.integer(t)
		return []int{v}, false, true, err
	}

	if len(t.Args) > view.MaxRank {
		return nil, true, true, t.At.Errorf("%s of %d integers, more than %d", name, len(t.Args), view.MaxRank)
	}

	ints = []int{}
	for _, e := range t.Args {
		v, err := c.b.integer(e)
		if err != nil {
			return nil, true, true, err
		}
		ints = append(ints, v)
	}
	return ints, true, true, nil
}

// axes returns the axes that an argument names, in ascending order and counted from 0. It returns
// all axes if the argument is left out.
func (c *call) axes(name string, rank int) ([]int, error) {
	axes, _, ok, err := c.ints(name)
	if err != nil {
		return nil, err
	}

	if !ok {
		return graph.AllAxes(rank), nil
	}

	for i, axis := range axes {
		if axes[i], err = normalAxis(axis, rank); err != nil {
			return nil, c.arg(name).At.Wrap(err)
		}
	}

	axes = sortedAxes(axes)
	if len(slices.Compact(slices.Clone(axes))) < len(axes) {
		return nil, c.arg(name).At.Errorf("%s names an axis twice", name)
	}
	return axes, nil
}

// sortedAxes returns axes in ascending order.
func sortedAxes(axes []int) []int { return slices.Sorted(slices.Values(axes)) }

// axis returns the one axis that an argument names. ok is false if the argument is left out.
func (c *call) axis(name string, rank int) (axis int, ok bool, err error) {
	t := c.arg(name)
	if t == nil {
		return 0, false, nil
	}
	if axis, err = c.b.integer(t); err != nil {
		return 0, true, err
	}
	axis, err = normalAxis(axis, rank)
	return axis, true, t.At.Wrap(err)
}

// normalAxis counts an axis from 0.
func normalAxis(axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, &view.AxisError{Axis: axis, Rank: rank}
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// dtype returns an argument that is an element type. It returns otherwise if the argument is left
// out.
func (c *call) dtype(name string, otherwise dtype.Type) (dtype.Type, error) {
	t := c.arg(name)
	if t == nil {
		return otherwise, nil
	}
	if t.Kind != term.Name && t.Kind != term.Text {
		return dtype.Invalid, t.At.Errorf("%s is the name of an element type", name)
	}
	dt, err := term.ParseType(t.Name)
	return dt, t.At.Wrap(err)
}

// text returns an argument in quotes. ok is false if the argument is something else.
func (c *call) text(name string) (text string, ok bool) {
	t := c.arg(name)
	if t == nil || t.Kind != term.Text {
		return "", false
	}
	return t.Name, true
}

// shape returns an argument that is a size or a tuple of sizes.
func (c *call) shape(name string) ([]int, error) {
	shape, _, ok, err := c.ints(name)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s needs its argument %s", c.t.Fn.Signature(), name)
	}
	_, err = view.NewLayout(shape...)
	return shape, c.arg(name).At.Wrap(err)
}
