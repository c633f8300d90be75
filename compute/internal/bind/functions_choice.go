package bind

import (
	"errors"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/dtype"
)

var choiceFunctions = []function{
	{name: "where", params: "condition, x, y", bind: bindWhere, doc: "x where condition is not 0, else y"},
	{name: "clip", aliases: "clamp", params: "x, min=None, max=None", bind: bindClip, doc: "x, but min or max where it is beyond them"},
	{name: "maximum", params: "x1, x2", bind: choice(kernel.Max), doc: "the larger one, NaN if one is"},
	{name: "minimum", params: "x1, x2", bind: choice(kernel.Min), doc: "the smaller one, NaN if one is"},
	{name: "fmax", params: "x1, x2", bind: choice(kernel.FMax), doc: "the larger one, the other one if one is NaN"},
	{name: "fmin", params: "x1, x2", bind: choice(kernel.FMin), doc: "the smaller one, the other one if one is NaN"},
	{name: "astype", params: "x, dtype", bind: bindAsType, doc: "elements converted to a type, whatever that does to them; float32(x) is the same"},
}

func choice(op kernel.Op) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) {
		v, err := c.values()
		if err != nil {
			return value{}, err
		}
		return b.extremum(c.name(), op, v[0], v[1])
	}
}

func bindWhere(b *binder, c *call) (value, error) {
	v, err := c.values()
	if err != nil {
		return value{}, err
	}
	condition, err := b.typed(v[0])
	if err != nil {
		return value{}, err
	}
	t := meetingType(v[1], v[2])
	choices, err := b.operands(v[1:], t)
	if err != nil {
		return value{}, err
	}
	n, err := b.Apply(c.name(), kernel.Where, b.truth(condition), choices[0], choices[1])
	return value{node: n}, err
}

// bindClip leaves out a bound that lies beyond the range of the type. Untyped integers can be such
// bounds.
func bindClip(b *binder, c *call) (value, error) {
	x, err := c.operand("x")
	if err != nil {
		return value{}, err
	}

	lo, hasLo, err1 := c.value("min")
	hi, hasHi, err2 := c.value("max")
	if err := errors.Join(err1, err2); err != nil {
		return value{}, err
	}

	v := []value{{node: x}}
	if hasLo {
		v = append(v, lo)
	}
	if hasHi {
		v = append(v, hi)
	}

	t := meetingType(v...)
	hasLo = hasLo && !lo.beyond(t, -1)
	hasHi = hasHi && !hi.beyond(t, 1)

	in := value{node: b.Cast(x, t)}
	switch {
	case hasLo && hasHi && t != dtype.Bool:
		return b.mapped(c.name(), kernel.Clip, meetingType, takesNumbers, in, lo, hi)
	case hasLo && hasHi:
		if in, err = b.extremum(c.name(), kernel.Max, in, lo); err != nil {
			return value{}, err
		}
		return b.extremum(c.name(), kernel.Min, in, hi)
	case hasLo:
		return b.extremum(c.name(), kernel.Max, in, lo)
	case hasHi:
		return b.extremum(c.name(), kernel.Min, in, hi)
	}
	return in, nil
}

// beyond reports whether v is an integer without a type below (sign -1) or above (1) all elements
// of type t.
func (v value) beyond(t dtype.Type, sign int) bool {
	return v.weak != nil && v.weak.IsInt() && kindSetOf(t)&takesInt != 0 && v.weak.Int.Sign() == sign &&
		number.CheckRange(t, v.weak.Int) != nil
}

func bindAsType(b *binder, c *call) (value, error) {
	t, err := c.dtype("dtype", dtype.Invalid)
	if err != nil {
		return value{}, err
	}
	v, _, err := c.value("x")
	if err != nil {
		return value{}, err
	}
	return b.converted(v, t)
}

// converted returns elements as type t, and a number without a type as array makes an element of
// it.
func (b *binder) converted(v value, t dtype.Type) (value, error) {
	if v.node != nil {
		return value{node: b.Cast(v.node, t)}, nil
	}
	s, err := v.weak.Converted(t)
	if err != nil {
		return value{}, err
	}
	return value{node: b.Scalar(s)}, nil
}
