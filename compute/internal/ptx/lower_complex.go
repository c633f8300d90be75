package ptx

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// complexes emits an operation on complex numbers.
func (c *compiler) complexes(op kernel.Op, t dtype.Type, args []value) (v value, ok bool) {
	if len(args) == 1 {
		return c.unaryComplex(op, t, args[0])
	}
	x, y := args[0], args[1]
	each := func(op kernel.Op) (value, bool) { return c.both(op, t, x, y), true }
	switch op {
	case kernel.Add, kernel.Sub:
		return each(op)
	case kernel.MulParts:
		return each(kernel.Mul)
	case kernel.DivParts:
		return each(kernel.Div)
	case kernel.Equal:
		return truthOf(c.equal(x, y)), true
	case kernel.NotEqual:
		return truthOf(c.not(c.equal(x, y))), true
	case kernel.Less:
		return truthOf(c.greater(y, x)), true
	case kernel.LessEqual:
		return truthOf(c.or(c.greater(y, x), c.equal(x, y))), true
	case kernel.Greater:
		return truthOf(c.greater(x, y)), true
	case kernel.GreaterEqual:
		return truthOf(c.or(c.greater(x, y), c.equal(x, y))), true
	case kernel.Min:
		return c.where(truthOf(c.or(c.unordered(x), c.or(c.greater(y, x), c.equal(x, y)))), x, y), true
	case kernel.Max:
		return c.where(truthOf(c.or(c.unordered(x), c.or(c.greater(x, y), c.equal(x, y)))), x, y), true
	case kernel.FMin:
		return c.where(truthOf(c.firstOfTwo(x, y, c.greater(x, y))), x, y), true
	case kernel.FMax:
		return c.where(truthOf(c.firstOfTwo(x, y, c.greater(y, x))), x, y), true
	}
	return value{}, false
}

// both applies an operation on floats to both parts.
func (c *compiler) both(op kernel.Op, t dtype.Type, args ...value) value {
	v := value{typ: t}
	for part := range 2 {
		var parts []value
		for _, a := range args {
			parts = append(parts, a.part(part))
		}
		v.registers = append(v.registers, c.apply(op, t.Part(), parts).one())
	}
	return v
}

// equal, greater and unordered are the comparisons of package kernel: lexicographic, where a real
// part says nothing beside an imaginary part that is NaN.

func (c *compiler) equal(x, y value) string {
	typ := registerType(x.typ)
	return c.and(c.emit("pred", "setp.eq."+typ, x.registers[0], y.registers[0]), c.emit("pred", "setp.eq."+typ, x.registers[1], y.registers[1]))
}

func (c *compiler) greater(x, y value) string {
	typ := registerType(x.typ)
	compare := func(name string, part int) string {
		return c.emit("pred", "setp."+name+"."+typ, x.registers[part], y.registers[part])
	}
	return c.or(c.and(compare("gt", 0), compare("num", 1)), c.and(compare("eq", 0), compare("gt", 1)))
}

func (c *compiler) unordered(x value) string {
	return c.emit("pred", "setp.nan."+registerType(x.typ), x.registers[0], x.registers[1])
}

// firstOfTwo reports whether x is the result of FMin or FMax: if y is NaN, or neither x is nor
// after, which compares them.
func (c *compiler) firstOfTwo(x, y value, after string) string {
	return c.or(c.unordered(y), c.not(c.or(c.unordered(x), after)))
}

func (c *compiler) unaryComplex(op kernel.Op, t dtype.Type, x value) (v value, ok bool) {
	part := t.Part()
	typ := registerType(t)
	zero := number(typ, 0)
	switch op {
	case kernel.Neg, kernel.Rint:
		return c.both(op, t, x), true
	case kernel.Conj:
		return value{typ: t, registers: []string{x.registers[0], c.emit(typ, "neg."+typ, x.registers[1])}}, true
	case kernel.Real:
		return of(part, x.registers[0]), true
	case kernel.Imag:
		return of(part, x.registers[1]), true
	case kernel.Angle: // rounded once
		wide := c.convert(x, dtype.Complex128)
		y := c.apply(kernel.Atan2, dtype.Float64, []value{wide.part(1), wide.part(0)})
		return c.convert(y, part), true
	case kernel.Not:
		return truthOf(c.equal(x, value{registers: []string{zero, zero}})), true
	case kernel.IsNaN:
		return truthOf(c.unordered(x)), true
	case kernel.IsInf:
		return truthOf(c.or(c.infinite("eq", typ, x.registers[0]), c.infinite("eq", typ, x.registers[1]))), true
	case kernel.IsFinite:
		return truthOf(c.and(c.infinite("lt", typ, x.registers[0]), c.infinite("lt", typ, x.registers[1]))), true
	}
	return value{}, false
}
