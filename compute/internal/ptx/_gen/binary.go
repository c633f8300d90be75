package main

import (
	"go/constant"
	"go/token"
	"strconv"
)

// comparisons are the modifiers of setp. Of floats, != is true of NaN.
var comparisons = map[token.Token]string{
	token.LSS: "lt", token.LEQ: "le", token.GTR: "gt", token.GEQ: "ge", token.EQL: "eq", token.NEQ: "ne",
}

var arithmetic = map[token.Token]string{token.ADD: "add", token.SUB: "sub", token.MUL: "mul", token.QUO: "div", token.REM: "rem"}

var logic = map[token.Token]string{token.AND: "and", token.OR: "or", token.XOR: "xor"}

func text(n int64) string { return strconv.FormatInt(n, 10) }

func constantInt(n int64) *value {
	return &value{scalar: scalar{"b64", 64, false}, constant: constant.MakeInt64(n)}
}

// whole returns a constant that is an integer.
func whole(v *value) int64 {
	n, ok := constant.Int64Val(constant.ToInt(v.constant))
	if !ok {
		refuse("the constant %v", v.constant)
	}
	return n
}

// binary translates an operation on two values.
func (f *frame) binary(op token.Token, x, y *value) *value {
	_, compares := comparisons[op]
	if x.constant != nil && y.constant != nil && x.isInteger() {
		if v, ok := fold(op, x.constant, y.constant); ok && compares {
			return &value{scalar: truth, constant: v}
		} else if ok {
			return &value{scalar: x.scalar, constant: v}
		}
	}

	switch {
	case compares:
		return f.compare(op, x, y)
	case x.isFloat():
		return f.emit(x.scalar, arithmetic[op]+".rn."+x.register, f.operand(x), f.operand(y))
	case op == token.SHL || op == token.SHR:
		return f.shift(op, x, y)
	case op == token.AND_NOT:
		y = f.emit(y.scalar, "not."+y.register, f.operand(y))
		return f.wrap(f.emit(x.scalar, "and."+x.register, f.operand(x), y.reg))
	case logic[op] != "":
		return f.emit(x.scalar, logic[op]+"."+x.register, f.operand(x), f.operand(y))
	}

	name := arithmetic[op]
	if op == token.MUL {
		name += ".lo"
	}
	return f.wrap(f.emit(x.scalar, name+"."+x.number(), f.operand(x), f.operand(y)))
}

// wrap cuts an integer of 8 or 16 bits to them, and extends it to those of its register.
func (f *frame) wrap(v *value) *value {
	if v.isInteger() && v.bits < 32 {
		number := v.number()
		return f.emit(v.scalar, "cvt."+number+"."+number[:1]+strconv.Itoa(v.bits), v.reg)
	}
	return v
}

func (f *frame) compare(op token.Token, x, y *value) *value {
	name := comparisons[op]
	switch {
	case x.register == "pred":
		v := f.emit(truth, "xor.pred", f.operand(x), f.operand(y))
		if op == token.EQL {
			v = f.emit(truth, "not.pred", v.reg)
		}
		return v
	case x.isFloat() && op == token.NEQ:
		name = "neu"
	}
	return f.emit(truth, "setp."+name+"."+x.number(), f.operand(x), f.operand(y))
}

// shift translates a shift. A count of as many bits as there are, or more, shifts all of them out
// in Go and on devices, whose counts have 32 bits.
func (f *frame) shift(op token.Token, x, y *value) *value {
	count := y
	switch {
	case y.constant != nil:
		count = &value{scalar: word, constant: constant.MakeInt64(min(whole(y), 64))}
	case y.bits == 64:
		least := f.emit(long, "min.u64", f.operand(y), "64")
		count = f.emit(word, "cvt.u32.u64", least.reg)
	}
	if op == token.SHL {
		return f.wrap(f.emit(x.scalar, "shl."+x.register, f.operand(x), f.operand(count)))
	}
	return f.emit(x.scalar, "shr."+x.number(), f.operand(x), f.operand(count))
}

// convert translates a conversion between numbers. Floats that become integers are in their range,
// where it matters.
func (f *frame) convert(x *value, to scalar) *value {
	from := x.scalar
	switch {
	case x.constant != nil && to.isInteger() && from.isInteger():
		return &value{scalar: to, constant: x.constant}
	case from.isFloat() && to.isFloat():
		return f.convertFloat(x, to)
	case to.isFloat():
		return f.emit(to, "cvt.rn."+to.register+"."+from.number(), f.operand(x))
	case from.isFloat():
		return f.wrap(f.emit(to, "cvt.rzi."+to.number()+"."+from.register, f.operand(x)))
	case from.bits == to.bits:
		same := *x
		same.scalar = to
		if from.unsigned != to.unsigned {
			return f.wrap(&same)
		}
		return &same
	case to.bits == 64:
		return f.emit(to, "cvt."+to.number()+"."+from.number(), f.operand(x))
	case from.bits == 64:
		return f.wrap(f.emit(to, "cvt.u32.u64", f.operand(x)))
	}
	same := *x
	same.scalar = to
	return f.wrap(&same)
}

// convertFloat remembers what a float64 was, so that float32s need not go through float64.
func (f *frame) convertFloat(x *value, to scalar) *value {
	switch {
	case x.scalar == to:
		return x
	case to == single && x.single != nil:
		return x.single
	case to == single:
		return f.emit(to, "cvt.rn.f32.f64", f.operand(x))
	}
	v := f.emit(to, "cvt.f64.f32", f.operand(x))
	v.single = x
	return v
}
