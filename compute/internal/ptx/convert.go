package ptx

import (
	"strconv"

	"github.com/tstore/tstore/dtype"
)

// convert emits the conversion of v, by the rules of dtype.Convert.
func (c *compiler) convert(v value, to dtype.Type) value {
	from := v.typ
	switch {
	case from == to:
		return v
	case to == dtype.Bool && !isSmall(from):
		return c.nonZero(v)
	case to.Kind() == dtype.KindComplex && from.Kind() == dtype.KindComplex:
		re, im := c.convert(v.part(0), to.Part()), c.convert(v.part(1), to.Part())
		return value{typ: to, registers: []string{re.one(), im.one()}}
	case to.Kind() == dtype.KindComplex:
		typ := registerType(to)
		return value{typ: to, registers: []string{c.convert(v, to.Part()).one(), number(typ, 0)}}
	case from.Kind() == dtype.KindComplex:
		return c.convert(v.part(0), to)
	case isSmall(from):
		return c.convert(c.widen(v), to)
	case isSmall(to):
		return c.round(v, to)
	case from == dtype.Bool:
		return c.convert(of(dtype.Uint32, c.emit("b32", "selp.b32", "1", "0", c.truth(v))), to)
	case to.Kind() == dtype.KindFloat && from.Kind() == dtype.KindFloat:
		return c.convertFloat(v, to)
	case to.Kind() == dtype.KindFloat:
		return of(to, c.emit(registerType(to), "cvt.rn."+registerType(to)+"."+numberType(from), v.one()))
	case from.Kind() == dtype.KindFloat:
		return c.truncate(v, to)
	}
	return c.convertInteger(v, to)
}

// nonZero is a conversion to bool: NaN is true.
func (c *compiler) nonZero(v value) value {
	typ, zero, name := numberType(v.typ.Part()), "0", "ne"
	if typ[0] == 'f' {
		zero, name = number(typ, 0), "neu"
	}
	p := c.emit("pred", "setp."+name+"."+typ, v.registers[0], zero)
	if len(v.registers) == 2 {
		p = c.or(p, c.emit("pred", "setp."+name+"."+typ, v.registers[1], zero))
	}
	return truthOf(p)
}

func (c *compiler) convertFloat(v value, to dtype.Type) value {
	if to == dtype.Float64 {
		return of(to, c.emit("f64", "cvt.f64.f32", v.one()))
	}
	return of(to, c.emit("f32", "cvt.rn.f32.f64", v.one()))
}

// convertInteger takes the low bits, or extends by the sign of the operand.
func (c *compiler) convertInteger(v value, to dtype.Type) value {
	from := v.typ
	r := v.one()
	switch {
	case from.Size() == 8 && to.Size() == 8:
		return of(to, r)
	case to.Size() == 8:
		return of(to, c.emit("b64", "cvt."+numberType(to)+"."+numberType(from), r))
	case from.Size() == 8:
		r = c.emit("b32", "cvt.u32.u64", r)
	}
	return of(to, c.wrap(to, r))
}

// truncate converts a float to an integer. PTX takes what is out of range to its end, where
// dtype.Convert has the lowest number of 32 or of 64 bits, of which narrow types take the low bits.
func (c *compiler) truncate(v value, to dtype.Type) value {
	wide := c.convert(v, dtype.Float64)
	switch {
	case to == dtype.Uint64:
		return of(to, c.truncateUnsigned(wide.one()))
	case to == dtype.Int64 || to == dtype.Uint32:
		return c.convert(of(dtype.Int64, c.truncateLong(wide.one())), to)
	}

	x := wide.one()
	above := c.emit("pred", "setp.gt.f64", x, number("f64", -0x1p31-1))
	inside := c.and(above, c.emit("pred", "setp.lt.f64", x, number("f64", 0x1p31)))
	n := c.emit("b32", "cvt.rzi.s32.f64", x)
	return c.convert(of(dtype.Int32, c.emit("b32", "selp.b32", n, strconv.Itoa(-1<<31), inside)), to)
}

func (c *compiler) truncateLong(x string) string {
	above := c.emit("pred", "setp.ge.f64", x, number("f64", -0x1p63))
	inside := c.and(above, c.emit("pred", "setp.lt.f64", x, number("f64", 0x1p63)))
	n := c.emit("b64", "cvt.rzi.s64.f64", x)
	return c.emit("b64", "selp.b64", n, strconv.Itoa(-1<<63), inside)
}

// truncateUnsigned shifts the upper half of the range down and back.
func (c *compiler) truncateUnsigned(x string) string {
	upper := c.emit("pred", "setp.ge.f64", x, number("f64", 0x1p63))
	down := c.emit("f64", "sub.rn.f64", x, number("f64", 0x1p63))
	n := c.truncateLong(c.emit("f64", "selp.f64", down, x, upper))
	return c.emit("b64", "selp.b64", c.emit("b64", "xor.b64", n, strconv.Itoa(-1<<63)), n, upper)
}
