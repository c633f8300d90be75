package ptx

import (
	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// op emits an operation of a program on one element.
func (c *compiler) op(o *jit.Op, values []value) value {
	if o.Op == kernel.Invalid {
		return c.convert(values[o.Args[0]], o.Result)
	}
	args := make([]value, o.Op.NumOperands())
	for k := range args {
		args[k] = values[o.Args[k]]
	}
	switch o.Op {
	case kernel.Copy:
		return args[0]
	case kernel.Where:
		return c.where(args[0], args[1], args[2])
	}

	// What has no registers of its own is computed in float32 and rounded.
	if isSmall(o.Operand) {
		for k := range args {
			args[k] = c.convert(args[k], dtype.Float32)
		}
		return c.convert(c.apply(o.Op, dtype.Float32, args), o.Result)
	}
	return c.apply(o.Op, o.Operand, args)
}

// apply emits an operation on operands of type t.
func (c *compiler) apply(op kernel.Op, t dtype.Type, args []value) value {
	if f := functions()[op.String()+" "+t.String()]; f != nil {
		return c.function(f, kernel.ResultType(op, t), args)
	}
	if f := functions()[op.String()+" "+dtype.Complex128.String()]; f != nil && t == dtype.Complex64 {
		var wide []value
		for _, a := range args {
			wide = append(wide, c.convert(a, dtype.Complex128))
		}
		return c.convert(c.function(f, dtype.Complex128, wide), t)
	}
	if op == kernel.Clip {
		return c.apply(kernel.Min, t, []value{c.apply(kernel.Max, t, args[:2]), args[2]})
	}

	var v value
	var ok bool
	switch t.Kind() {
	case dtype.KindBool:
		v, ok = c.bools(op, args)
	case dtype.KindFloat:
		v, ok = c.floats(op, t, args)
	case dtype.KindComplex:
		v, ok = c.complexes(op, t, args)
	default:
		v, ok = c.integers(op, t, args)
	}
	if !ok {
		refuse("%v of type %v", op, t)
	}
	return v
}

// function emits a call.
func (c *compiler) function(f *Function, result dtype.Type, args []value) value {
	return value{typ: result, registers: c.call(f, flat(args))}
}

// where chooses between two elements, which are moved as they are.
func (c *compiler) where(condition, yes, no value) value {
	chosen := value{typ: yes.typ}
	p := c.truth(condition)
	switch {
	case yes.typ == dtype.Bool && (yes.loose || no.loose):
		chosen.loose = true
		yes, no = c.stored(yes), c.stored(no)
	case yes.typ == dtype.Bool:
		return truthOf(c.choose(p, yes.one(), no.one()))
	}
	typ := registerType(yes.typ)
	for i := range yes.registers {
		chosen.registers = append(chosen.registers, c.emit(typ, "selp."+typ, yes.registers[i], no.registers[i], p))
	}
	return chosen
}

// choose chooses between two predicates.
func (c *compiler) choose(condition, yes, no string) string {
	return c.or(c.and(condition, yes), c.and(c.not(condition), no))
}

func (e *emitter) and(a, b string) string { return e.emit("pred", "and.pred", a, b) }
func (e *emitter) or(a, b string) string  { return e.emit("pred", "or.pred", a, b) }
func (e *emitter) xor(a, b string) string { return e.emit("pred", "xor.pred", a, b) }
func (e *emitter) not(a string) string    { return e.emit("pred", "not.pred", a) }

// bools emits an operation on bools.
func (c *compiler) bools(op kernel.Op, args []value) (v value, ok bool) {
	a, b := c.truth(args[0]), c.truth(args[len(args)-1])
	switch op {
	case kernel.Not, kernel.Invert:
		return truthOf(c.not(a)), true
	case kernel.Abs, kernel.Floor, kernel.Ceil, kernel.Trunc:
		return truthOf(a), true
	case kernel.IsNaN, kernel.IsInf, kernel.IsFinite:
		return c.always(op == kernel.IsFinite), true
	case kernel.Or, kernel.Add, kernel.Max, kernel.FMax:
		return truthOf(c.or(a, b)), true
	case kernel.And, kernel.Mul, kernel.Min, kernel.FMin:
		return truthOf(c.and(a, b)), true
	case kernel.Xor, kernel.NotEqual:
		return truthOf(c.xor(a, b)), true
	case kernel.Equal:
		return truthOf(c.not(c.xor(a, b))), true
	case kernel.Less:
		return truthOf(c.and(c.not(a), b)), true
	case kernel.Greater:
		return truthOf(c.and(a, c.not(b))), true
	case kernel.LessEqual:
		return truthOf(c.or(c.not(a), b)), true
	case kernel.GreaterEqual:
		return truthOf(c.or(a, c.not(b))), true
	}
	return value{}, false
}

// comparisons are the modifiers of setp. Of floats, NotEqual is true of NaN.
var comparisons = map[kernel.Op]string{
	kernel.Equal: "eq", kernel.NotEqual: "ne", kernel.Less: "lt", kernel.LessEqual: "le",
	kernel.Greater: "gt", kernel.GreaterEqual: "ge",
}
