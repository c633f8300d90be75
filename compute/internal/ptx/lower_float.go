package ptx

import (
	"math"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// floatArithmetic are the instructions that are an operation on floats, without their type.
var floatArithmetic = map[kernel.Op]string{
	kernel.Add: "add.rn.", kernel.Sub: "sub.rn.", kernel.Mul: "mul.rn.", kernel.Div: "div.rn.",
	kernel.Sqrt: "sqrt.rn.", kernel.Neg: "neg.", kernel.Abs: "abs.",
}

// floatRoundings are the modifiers of roundings to whole numbers.
var floatRoundings = map[kernel.Op]string{
	kernel.Floor: "rmi", kernel.Ceil: "rpi", kernel.Trunc: "rzi", kernel.Rint: "rni",
}

// small are the types that operations round to.
var small = map[kernel.Op]dtype.Type{
	kernel.RoundFloat16: dtype.Float16, kernel.RoundBFloat16: dtype.BFloat16,
	kernel.RoundFloat8E4M3FN: dtype.Float8E4M3FN, kernel.RoundFloat8E5M2: dtype.Float8E5M2,
}

// floats emits an operation on float32s or float64s.
func (c *compiler) floats(op kernel.Op, t dtype.Type, args []value) (v value, ok bool) {
	typ, registers := registerType(t), flat(args)
	if name, ok := floatArithmetic[op]; ok {
		return of(t, c.emit(typ, name+typ, registers...)), true
	}
	if modifier, ok := floatRoundings[op]; ok {
		return of(t, c.emit(typ, "cvt."+modifier+"."+typ+"."+typ, registers...)), true
	}
	if to, ok := small[op]; ok {
		return c.convert(c.convert(args[0], to), dtype.Float32), true
	}
	if name, ok := comparisons[op]; ok {
		if op == kernel.NotEqual {
			name = "neu"
		}
		return truthOf(c.emit("pred", "setp."+name+"."+typ, registers...)), true
	}
	if len(args) == 1 {
		return c.unaryFloat(op, t, args[0].one())
	}

	a, b := registers[0], registers[1]
	switch op {
	case kernel.Min:
		return of(t, c.extreme("lt", typ, a, b, a)), true
	case kernel.Max:
		return of(t, c.extreme("gt", typ, a, b, a)), true
	case kernel.FMin:
		return of(t, c.extreme("lt", typ, a, b, b)), true
	case kernel.FMax:
		return of(t, c.extreme("gt", typ, a, b, b)), true
	case kernel.CopySign: // the operand with the sign comes first
		return of(t, c.emit(typ, "copysign."+typ, b, a)), true
	}
	return value{}, false
}

// extreme is a if it compares so with b, or if the register nan is NaN, and else b.
func (c *compiler) extreme(comparison, typ, a, b, nan string) string {
	before := c.emit("pred", "setp."+comparison+"."+typ, a, b)
	unordered := c.emit("pred", "setp.nan."+typ, nan, nan)
	return c.emit(typ, "selp."+typ, a, b, c.or(before, unordered))
}

func (c *compiler) unaryFloat(op kernel.Op, t dtype.Type, a string) (v value, ok bool) {
	typ := registerType(t)
	zero, one := number(typ, 0), number(typ, 1)
	switch op {
	case kernel.Square:
		return of(t, c.emit(typ, "mul.rn."+typ, a, a)), true
	case kernel.Reciprocal:
		return of(t, c.emit(typ, "div.rn."+typ, one, a)), true
	case kernel.Relu:
		return of(t, c.extreme("gt", typ, a, zero, a)), true
	case kernel.Sign:
		v := c.emit(typ, "selp."+typ, zero, a, c.emit("pred", "setp.eq."+typ, a, zero))
		v = c.emit(typ, "selp."+typ, number(typ, -1), v, c.emit("pred", "setp.lt."+typ, a, zero))
		return of(t, c.emit(typ, "selp."+typ, one, v, c.emit("pred", "setp.gt."+typ, a, zero))), true
	case kernel.Not:
		return truthOf(c.emit("pred", "setp.eq."+typ, a, zero)), true
	case kernel.IsNaN:
		return truthOf(c.emit("pred", "setp.nan."+typ, a, a)), true
	case kernel.IsInf:
		return truthOf(c.infinite("eq", typ, a)), true
	case kernel.IsFinite:
		return truthOf(c.infinite("lt", typ, a)), true
	case kernel.SignBit:
		bits := "b" + typ[1:]
		return truthOf(c.emit("pred", "setp.lt.s"+typ[1:], c.emit(bits, "mov."+bits, a), "0")), true
	}
	return value{}, false
}

// infinite compares the magnitude of a float with infinity.
func (c *compiler) infinite(comparison, typ, a string) string {
	return c.emit("pred", "setp."+comparison+"."+typ, c.emit(typ, "abs."+typ, a), number(typ, math.Inf(1)))
}
