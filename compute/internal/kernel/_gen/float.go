package main

// A floatOp is an operation on floats with results of the same type.
type floatOp struct {
	operation

	// start emits constants and returns what emits the result of a step.
	start func(fp) func(x ...value) value
}

// simple is the start of an operation without constants.
func simple(step func(f fp, x []value) value) func(fp) func(x ...value) value {
	return func(f fp) func(x ...value) value {
		return func(x ...value) value { return step(f, x) }
	}
}

var bothForms = []int{1, 2}

var floatOps = []floatOp{
	{operation{op: "Neg", formula: "-a", operands: 1}, func(f fp) func(...value) value {
		sign := f.signBit()
		return func(x ...value) value { return f.xor(x[0], sign) }
	}},
	{operation{op: "Abs", formula: "|a|", operands: 1}, func(f fp) func(...value) value {
		sign := f.signBit()
		return func(x ...value) value { return f.andNot(sign, x[0]) }
	}},
	{operation{op: "Reciprocal", formula: "1/a", operands: 1}, func(f fp) func(...value) value {
		one := f.one()
		return func(x ...value) value { return f.div(one, x[0]) }
	}},
	{operation{op: "Floor", formula: "⌊a⌋", operands: 1}, simple(func(f fp, x []value) value { return f.round(down, x[0]) })},
	{operation{op: "Ceil", formula: "⌈a⌉", operands: 1}, simple(func(f fp, x []value) value { return f.round(up, x[0]) })},
	{operation{op: "Rint", formula: "the integer nearest to a", operands: 1}, simple(func(f fp, x []value) value { return f.round(toEven, x[0]) })},
	{operation{op: "Trunc", formula: "a towards zero", operands: 1}, simple(func(f fp, x []value) value { return f.round(toZero, x[0]) })},
	{operation{op: "Sqrt", formula: "√a", operands: 1}, simple(func(f fp, x []value) value { return f.sqrt(x[0]) })},
	{operation{op: "Relu", formula: "a > 0 ? a : 0", operands: 1}, func(f fp) func(...value) value {
		zero := f.zero()
		return func(x ...value) value { return f.keep(f.cmp(notLessEqual, x[0], zero), x[0]) }
	}},
	{operation{op: "Sign", formula: "the sign of a", operands: 1}, startSign},
	{operation{op: "Add", swapped: true, formula: "a + b", operands: 2, scalars: bothForms}, simple(func(f fp, x []value) value { return f.add(x[0], x[1]) })},
	{operation{op: "Sub", formula: "a - b", operands: 2, scalars: bothForms}, simple(func(f fp, x []value) value { return f.sub(x[0], x[1]) })},
	{operation{op: "Mul", swapped: true, formula: "a·b", operands: 2, scalars: bothForms}, simple(func(f fp, x []value) value { return f.mul(x[0], x[1]) })},
	{operation{op: "Div", formula: "a/b", operands: 2, scalars: bothForms}, simple(func(f fp, x []value) value { return f.div(x[0], x[1]) })},
	{operation{op: "Min", formula: "min(a, b)", operands: 2, scalars: bothForms}, simple(func(f fp, x []value) value { return f.min(x[0], x[1]) })},
	{operation{op: "Max", formula: "max(a, b)", operands: 2, scalars: bothForms}, simple(func(f fp, x []value) value { return f.max(x[0], x[1]) })},
	{operation{op: "FMin", formula: "min(a, b), or the one that is no NaN", operands: 2, scalars: bothForms}, simple(func(f fp, x []value) value {
		return f.choose(f.cmp(unordered, x[1], x[1]), x[0], f.less(x[0], x[1]))
	})},
	{operation{op: "FMax", formula: "max(a, b), or the one that is no NaN", operands: 2, scalars: bothForms}, simple(func(f fp, x []value) value {
		return f.choose(f.cmp(unordered, x[1], x[1]), x[0], f.more(x[0], x[1]))
	})},
	{operation{op: "CopySign", formula: "|a| with the sign of b", operands: 2, scalars: []int{2}}, func(f fp) func(...value) value {
		sign := f.signBit()
		return func(x ...value) value { return f.or(f.and(sign, x[1]), f.andNot(sign, x[0])) }
	}},
}

// startSign emits 1 with the sign of x, and 0 for either zero. NaN stays as it is.
func startSign(f fp) func(x ...value) value {
	sign, one, zero := f.signBit(), f.one(), f.zero()
	return func(x ...value) value {
		// The sign bit of x or'ed into the bits of 1 is 1 or -1. keep makes it 0 where x is 0.
		signed := f.or(f.and(sign, x[0]), one)
		signed = f.keep(f.cmp(notEqual, x[0], zero), signed)
		return f.choose(f.cmp(unordered, x[0], x[0]), x[0], signed)
	}
}

// A floatTest is an operation on floats with bools as results.
type floatTest struct {
	operation
	start func(fp) func(x ...value) value // emits the mask of a step
}

var floatTests = []floatTest{
	{operation{op: "Equal", formula: "a = b", operands: 2, scalars: bothForms, swapped: true}, compared(equal)},
	{operation{op: "NotEqual", formula: "a ≠ b", operands: 2, scalars: bothForms, swapped: true}, compared(notEqual)},
	{operation{op: "Less", formula: "a < b", operands: 2, scalars: bothForms}, compared(lessThan)},
	{operation{op: "LessEqual", formula: "a ≤ b", operands: 2, scalars: bothForms}, compared(lessEqual)},
	{operation{op: "IsNaN", formula: "a is NaN", operands: 1}, simple(func(f fp, x []value) value { return f.cmp(unordered, x[0], x[0]) })},
	{operation{op: "IsInf", formula: "a is infinite", operands: 1}, magnitude(equal)},
	{operation{op: "IsFinite", formula: "a is finite", operands: 1}, magnitude(lessThan)},
	{operation{op: "Not", formula: "a = 0", operands: 1}, func(f fp) func(...value) value {
		zero := f.zero()
		return func(x ...value) value { return f.cmp(equal, x[0], zero) }
	}},
	{operation{op: "SignBit", formula: "the sign bit of a", operands: 1}, simple(func(f fp, x []value) value { return f.signMask(x[0]) })},
}

func compared(p predicate) func(fp) func(x ...value) value {
	return simple(func(f fp, x []value) value { return f.cmp(p, x[0], x[1]) })
}

// magnitude is the mask of |a| compared with infinity.
func magnitude(p predicate) func(fp) func(x ...value) value {
	return func(f fp) func(...value) value {
		sign, infinity := f.signBit(), f.infinity()
		return func(x ...value) value { return f.cmp(p, f.andNot(sign, x[0]), infinity) }
	}
}

// signMask is a mask of the sign bits of a.
func (f fp) signMask(a value) value {
	if f.wide() {
		mask := f.K()
		if f.size == 4 {
			f.VPMOVD2M(a, mask)
		} else {
			f.VPMOVQ2M(a, mask)
		}
		return mask
	}

	// A doubleword shifted by 31 is all sign bits. AVX2 has no such shift of quadwords: compare
	// with 0 instead.
	d := f.vec()
	if f.size == 4 {
		f.VPSRAD(imm(31), a, d)
	} else {
		f.VPCMPGTQ(a, f.zero(), d)
	}
	return d
}

func emitFloat(k *asm) {
	for _, size := range []int{4, 8} {
		f := fp{k, size}
		for _, o := range floatOps {
			f.emitOperation(o.operation, loop{start: func(*asm) func([][]value) []value { return each(o.start(f)) }}, size, f.typ())
		}
		for _, o := range floatTests {
			f.emitOperation(o.operation, loop{dst: 1, start: func(*asm) func([][]value) []value {
				pack, mask := f.packBools(size, false), each(o.start(f))
				return func(in [][]value) []value { return pack(mask(in)) }
			}}, size, f.typ())
		}
	}
}
