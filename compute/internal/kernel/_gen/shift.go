package main

import "github.com/mmcloughlin/avo/operand"

// The shift instructions take a count that is too large for what it is, and shift all bits out.

// emitShiftLeft emits Shl by scalars and, where there are instructions, by vectors.
func (n integer) emitShiftLeft() {
	o := operation{op: "Shl", formula: "a << b", operands: 2}
	n.emitShift(o, n.bySize(nil, n.VPSLLW, n.VPSLLD, n.VPSLLQ), n.types()...)
	if n.size >= 4 || n.size == 2 && n.wide() {
		shift := n.bySize(nil, n.VPSLLVW, n.VPSLLVD, n.VPSLLVQ)
		n.emitOps([]integerOp{{o, plain(func(n integer, a, b value) value { return n.op(shift, b, a) })}}, n.types()...)
	}
}

// emitShiftRight is emitShiftLeft for Shr, whose results depend on the sign.
func (n integer) emitShiftRight() {
	o := operation{op: "Shr", formula: "a >> b", operands: 2}
	n.emitShift(o, n.shiftRight(n.VPSRLW, n.VPSRLD, n.VPSRLQ, n.VPSRAW, n.VPSRAD, n.VPSRAQ), n.typ())
	if n.size >= 4 || n.size == 2 && n.wide() {
		shift := n.shiftRight(n.VPSRLVW, n.VPSRLVD, n.VPSRLVQ, n.VPSRAVW, n.VPSRAVD, n.VPSRAVQ)
		n.emitOps([]integerOp{{o, func(n integer) func([]value) value {
			turn := n.startTurned()
			return func(x []value) value {
				return turn(x[0], func(a value) value { return n.op(shift, x[1], a) })
			}
		}}}, n.typ())
	}
}

// shiftRight is the instruction that shifts right: that for unsigned integers where AVX2 has no
// other.
func (n integer) shiftRight(w, d, q, signedW, signedD, signedQ instruction) instruction {
	if n.signed && !n.shiftsTurned() {
		return n.bySize(nil, signedW, signedD, signedQ)
	}
	return n.bySize(nil, w, d, q)
}

// shiftsTurned reports whether there is no instruction that shifts in sign bits.
func (n integer) shiftsTurned() bool { return n.signed && (n.size == 1 || n.size == 8 && !n.wide()) }

// startTurned returns what shifts right a signed integer by the instruction for unsigned ones: all
// bits of negative ones are turned before and after.
func (n integer) startTurned() func(a value, shift func(value) value) value {
	if !n.shiftsTurned() {
		return func(a value, shift func(value) value) value { return shift(a) }
	}
	zero := n.zero()
	return func(a value, shift func(value) value) value {
		var negative value
		if n.wide() {
			mask := n.K()
			n.VPMOVB2M(a, mask)
			negative = n.op(of2(n.VPMOVM2B), mask)
		} else {
			negative = n.startLess()(a, zero)
		}
		return n.xor(negative, shift(n.xor(negative, a)))
	}
}

// emitShift emits a shift by a scalar.
func (n integer) emitShift(o operation, shift instruction, types ...string) {
	left := o.op == "Shl"
	kept := operand.Op(nil) // the bits of each byte that shifted words may keep

	// There are no shifts of bytes: shift words, and clear the bits that come from the byte beside.
	if n.size == 1 {
		shift = n.VPSRLW
		if left {
			shift = n.VPSLLW
		}
	}

	spread := func(k *asm, m operand.Mem) value {
		count := k.GP64()
		switch n.size {
		case 1:
			k.MOVBQZX(m, count)
			kept = k.keptBits(left, count)
		case 2:
			k.MOVWQZX(m, count)
		case 4:
			k.MOVL(m, count.As32())
		case 8:
			k.MOVQ(m, count)
		}
		x := k.XMM()
		k.VMOVQ(count, x)
		return x
	}

	l := loop{
		name:  n.funcName(o.op, types[0], 2),
		doc:   formulaDoc(o.formula, 2),
		lanes: n.width / n.size,
		dst:   n.size,
		args:  []arg{{size: n.size}, {size: n.size, scalar: true, spread: spread}},
		start: func(*asm) func([][]value) []value {
			turn := func(a value, shift func(value) value) value { return shift(a) }
			if !left {
				turn = n.startTurned()
			}
			return each(func(x ...value) value {
				return turn(x[0], func(a value) value {
					shifted := n.op(shift, x[1], a)
					if n.size == 1 {
						shifted = n.and(kept, shifted)
					}
					return shifted
				})
			})
		},
	}

	n.emit(l)
	n.register(l.name, o.op, 2, types...)
}

// keptBits is a register of bytes with the bits that stay when bytes are shifted by a count.
func (k *asm) keptBits(left bool, count operand.Op) value {
	bits := k.GP64()
	k.MOVQ(operand.U32(0xff), bits)
	if left {
		k.SHLXQ(count, bits, bits)
	} else {
		k.SHRXQ(count, bits, bits)
	}
	clear := k.GP64()
	k.XORQ(clear, clear)
	k.CMPQ(count, operand.Imm(8))
	k.CMOVQCC(clear, bits) // the count is taken modulo 64 there
	x, d := k.XMM(), k.vec()
	k.VMOVQ(bits, x)
	k.VPBROADCASTB(x, d)
	return d
}
