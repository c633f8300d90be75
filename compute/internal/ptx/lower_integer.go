package ptx

import (
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// integerArithmetic are the instructions that are an operation on integers, without their type.
var integerArithmetic = map[kernel.Op]string{kernel.Add: "add.", kernel.Sub: "sub.", kernel.Mul: "mul.lo."}

// integerLogic are those on their bits.
var integerLogic = map[kernel.Op]string{kernel.And: "and.", kernel.Or: "or.", kernel.Xor: "xor."}

// integers emits an operation on integers.
func (c *compiler) integers(op kernel.Op, t dtype.Type, args []value) (v value, ok bool) {
	typ, num, registers := registerType(t), numberType(t), flat(args)
	if name, ok := integerArithmetic[op]; ok {
		return of(t, c.wrap(t, c.emit(typ, name+num, registers...))), true
	}
	if name, ok := integerLogic[op]; ok {
		return of(t, c.emit(typ, name+typ, registers...)), true
	}
	if name, ok := comparisons[op]; ok {
		return truthOf(c.emit("pred", "setp."+name+"."+num, registers...)), true
	}
	if len(args) == 1 {
		return c.unaryInteger(op, t, args[0].one())
	}

	a, b := registers[0], registers[1]
	switch op {
	case kernel.Min, kernel.FMin:
		return of(t, c.emit(typ, "min."+num, a, b)), true
	case kernel.Max, kernel.FMax:
		return of(t, c.emit(typ, "max."+num, a, b)), true
	case kernel.Shl:
		return of(t, c.wrap(t, c.emit(typ, "shl."+typ, a, c.count(t, b)))), true
	case kernel.Shr:
		return of(t, c.emit(typ, "shr."+num, a, c.count(t, b))), true
	}
	return value{}, false
}

// count is an integer as a count of bits, of which too many are as many as there are. A negative
// one is a large one.
func (c *compiler) count(t dtype.Type, n string) string {
	if t.Size() < 8 {
		return n
	}
	return c.emit("b32", "cvt.u32.u64", c.emit("b64", "min.u64", n, "64"))
}

func (c *compiler) unaryInteger(op kernel.Op, t dtype.Type, a string) (v value, ok bool) {
	typ, num := registerType(t), numberType(t)
	signed := t.Kind() == dtype.KindInt
	switch op {
	case kernel.Neg:
		return of(t, c.wrap(t, c.emit(typ, "sub."+num, "0", a))), true
	case kernel.Square:
		return of(t, c.wrap(t, c.emit(typ, "mul.lo."+num, a, a))), true
	case kernel.Invert:
		return of(t, c.wrap(t, c.emit(typ, "not."+typ, a))), true
	case kernel.Floor, kernel.Ceil, kernel.Trunc:
		return of(t, a), true
	case kernel.Abs:
		if signed {
			a = c.wrap(t, c.emit(typ, "abs."+num, a))
		}
		return of(t, a), true
	case kernel.Relu:
		if signed {
			a = c.emit(typ, "max."+num, a, "0")
		}
		return of(t, a), true
	case kernel.Sign:
		a = c.emit(typ, "min."+num, a, "1")
		if signed {
			a = c.emit(typ, "max."+num, a, "-1")
		}
		return of(t, a), true
	case kernel.Reciprocal: // of 1 and -1 themselves
		keeps := c.emit("pred", "setp.eq."+num, a, "1")
		if signed {
			keeps = c.or(keeps, c.emit("pred", "setp.eq."+num, a, "-1"))
		}
		return of(t, c.emit(typ, "selp."+typ, a, "0", keeps)), true
	case kernel.Not:
		return truthOf(c.emit("pred", "setp.eq."+num, a, "0")), true
	case kernel.IsNaN, kernel.IsInf, kernel.IsFinite:
		return c.always(op == kernel.IsFinite), true
	}
	return value{}, false
}
