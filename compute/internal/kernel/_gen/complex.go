package main

// emitComplex emits the operations on complex numbers: pairs of floats.
func emitComplex(k *asm) {
	for _, size := range []int{4, 8} {
		f := fp{k, size}
		typ := map[int]string{4: "Complex64", 8: "Complex128"}[size]
		for _, o := range complexOps {
			l := loop{pairs: true, start: func(*asm) func([][]value) []value { return each(o.start(f)) }}
			k.emitOperation(o.operation, l, size, typ)
		}
	}
}

var complexOps = []floatOp{
	{operation{op: "Neg", formula: "-a", operands: 1}, func(f fp) func(...value) value {
		sign := f.signBit()
		return func(x ...value) value { return f.xor(x[0], sign) }
	}},
	{operation{op: "Conj", formula: "the conjugate of a", operands: 1}, func(f fp) func(...value) value {
		sign := f.oddSigns()
		return func(x ...value) value { return f.xor(x[0], sign) }
	}},
	{operation{op: "Add", formula: "a + b", operands: 2, scalars: bothForms, swapped: true}, simple(func(f fp, x []value) value { return f.add(x[0], x[1]) })},
	{operation{op: "Sub", formula: "a - b", operands: 2, scalars: bothForms}, simple(func(f fp, x []value) value { return f.sub(x[0], x[1]) })},
	{operation{op: "Mul", formula: "a·b", operands: 2, scalars: bothForms, swapped: true}, func(f fp) func(...value) value {
		mul := f.startComplexMul()
		return func(x ...value) value { return mul(x[0], x[1]) }
	}},
}

// oddSigns is a register of the sign bits of imaginary parts.
func (f fp) oddSigns() value {
	r := f.vec()
	sign := uint64(1) << (f.size*8 - 1)
	bits := make([]uint64, f.lanes())
	for i := 1; i < len(bits); i += 2 {
		bits[i] = sign
	}
	f.VMOVUPS(f.data("oddsigns"+f.typ(), f.size, bits...), r)
	return r
}

// startComplexMul returns what emits products, each part of which is a sum of two rounded products.
func (f fp) startComplexMul() func(a, b value) value {
	alternate := f.startAddSub()
	return func(a, b value) value {
		re, im := f.parts(a)
		return alternate(f.mul(re, b), f.mul(im, f.swapPairs(b)))
	}
}

// parts are the real parts of a, each twice, and the imaginary parts.
func (f fp) parts(a value) (re, im value) {
	if f.size == 4 {
		return f.op(f.VMOVSLDUP, a), f.op(f.VMOVSHDUP, a)
	}
	return f.op(f.VMOVDDUP, a), f.op(f.VPERMILPD, imm(0xff), a)
}

// swapPairs exchanges real and imaginary parts.
func (f fp) swapPairs(a value) value {
	if f.size == 4 {
		return f.op(f.VPERMILPS, imm(0xb1), a)
	}
	return f.op(f.VPERMILPD, imm(0x55), a)
}

// startAddSub returns what emits a - b of real parts and a + b of imaginary ones. AVX-512 has it
// with a product only, here by 1, which rounds nothing.
func (f fp) startAddSub() func(a, b value) value {
	if !f.wide() {
		return func(a, b value) value { return f.op(f.pick(of3(f.VADDSUBPS), of3(f.VADDSUBPD)), b, a) }
	}
	one := f.one()
	return func(a, b value) value {
		f.pick(f.VFMADDSUB213PS, f.VFMADDSUB213PD)(b, one, a)
		return a
	}
}
