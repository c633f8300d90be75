package main

// emitBool emits the operations on bools, which are bytes: any but 0 is true.
func emitBool(k *asm) {
	n := integer{asm: k, size: 1}
	op := func(op, formula string, operands int, step func(b booleans, x []value) value) integerOp {
		o := operation{op: op, formula: formula, operands: operands}
		if operands == 2 {
			o.scalars, o.swapped = bothForms, true
		}
		return integerOp{o, func(n integer) func([]value) value {
			b := booleans{n, n.broadcast(1, 1)}
			return func(x []value) value { return step(b, x) }
		}}
	}

	n.emitOps([]integerOp{
		op("Abs", "a", 1, func(b booleans, x []value) value { return b.truth(x[0]) }),
		op("Not", "!a", 1, func(b booleans, x []value) value { return b.not(x[0]) }),
		op("And", "a && b", 2, func(b booleans, x []value) value { return b.truth(b.least(x[0], x[1])) }),
		op("Or", "a || b", 2, func(b booleans, x []value) value { return b.truth(b.or(x[0], x[1])) }),
		op("Xor", "a ≠ b", 2, func(b booleans, x []value) value { return b.xor(b.truth(x[0]), b.truth(x[1])) }),
		op("Equal", "a = b", 2, func(b booleans, x []value) value { return b.xor(b.not(x[0]), b.truth(x[1])) }),
	}, "Bool")

	// Operations that mean the same for bools share one function.
	for _, same := range [][2]string{
		{"Abs", "Floor"}, {"Abs", "Ceil"}, {"Abs", "Trunc"}, {"Not", "Invert"}, {"Xor", "NotEqual"},
		{"And", "Mul"}, {"And", "Min"}, {"And", "FMin"}, {"Or", "Add"}, {"Or", "Max"}, {"Or", "FMax"},
	} {
		k.registerAs(same[0], same[1])
	}
	// A byte of 0 or 1 is also the integer.
	for _, other := range []string{"Bool", "Int8", "Uint8"} {
		k.registerConvert(k.funcName("Abs", "Bool", 0), "Bool", other)
		k.registerConvert(k.funcName("Abs", "Bool", 0), other, "Bool")
	}
}

// registerAs makes the kernels of one operation those of another as well.
func (k *asm) registerAs(op, as string) {
	for _, r := range k.kernels {
		if r.op == op {
			r.op = as
			k.kernels = append(k.kernels, r)
		}
	}
}

// A booleans emits instructions on bools.
type booleans struct {
	integer
	one value
}

// truth is 1 for true and 0 for false.
func (b booleans) truth(a value) value { return b.least(a, b.one) }

func (b booleans) not(a value) value { return b.xor(b.one, b.truth(a)) }

func (b booleans) least(a, c value) value { return b.op(b.VPMINUB, c, a) }
