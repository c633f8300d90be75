package main

import "go/constant"

// extreme translates min and max. Of floats they are NaN if one is, and -0 is less than 0: the bits
// of equal ones are put together.
func (f *frame) extreme(name string, x, y *value) *value {
	if x.isInteger() {
		return f.emit(x.scalar, name+"."+x.number(), f.operand(x), f.operand(y))
	}

	if x.constant != nil {
		x, y = y, x
	}
	if y.constant != nil && constant.Sign(y.constant) != 0 {
		return f.bounded(name, x, y)
	}

	a, b := f.operand(x), f.operand(y)
	bits := word
	if x.bits == 64 {
		bits = long
	}
	comparison, together := "lt", "or"
	if name == "max" {
		comparison, together = "gt", "and"
	}

	first := f.emit(truth, "setp."+comparison+"."+x.register, a, b)
	v := f.emit(x.scalar, "selp."+x.register, a, b, first.reg)

	if y.constant != nil {
		b = f.emit(y.scalar, "mov."+y.register, b).reg
	}
	aBits, bBits := f.emit(bits, "mov."+bits.register, a), f.emit(bits, "mov."+bits.register, b)
	both := f.emit(bits, together+"."+bits.register, aBits.reg, bBits.reg)
	zero := f.emit(x.scalar, "mov."+bits.register, both.reg)
	equal := f.emit(truth, "setp.eq."+x.register, a, b)
	v = f.emit(x.scalar, "selp."+x.register, zero.reg, v.reg, equal.reg)

	unordered := f.emit(truth, "setp.nan."+x.register, a, b)
	nan := f.emit(x.scalar, "add.rn."+x.register, a, b)
	return f.emit(x.scalar, "selp."+x.register, nan.reg, v.reg, unordered.reg)
}

// bounded is extreme of a float and a constant that is not 0: NaN is not beyond it, and stays.
func (f *frame) bounded(name string, x, bound *value) *value {
	comparison := "gt"
	if name == "max" {
		comparison = "lt"
	}
	beyond := f.emit(truth, "setp."+comparison+"."+x.register, f.operand(x), f.operand(bound))
	return f.emit(x.scalar, "selp."+x.register, f.operand(bound), f.operand(x), beyond.reg)
}
