package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/x86"
)

// An fp emits instructions on floats of one size, 4 or 8 bytes. Operands are in the order in which
// a formula has them.
type fp struct {
	*asm
	size int
}

// lanes is the number of floats of a vector.
func (f fp) lanes() int { return f.width / f.size }

// typ names the type as package dtype does.
func (f fp) typ() string { return fmt.Sprintf("Float%d", f.size*8) }

// pick is the instruction for floats of this size.
func (f fp) pick(single, double instruction) instruction {
	if f.size == 4 {
		return single
	}
	return double
}

func (f fp) add(a, b value) value { return f.op(f.pick(f.VADDPS, f.VADDPD), b, a) }
func (f fp) sub(a, b value) value { return f.op(f.pick(f.VSUBPS, f.VSUBPD), b, a) }
func (f fp) mul(a, b value) value { return f.op(f.pick(f.VMULPS, f.VMULPD), b, a) }
func (f fp) div(a, b value) value { return f.op(f.pick(f.VDIVPS, f.VDIVPD), b, a) }
func (f fp) sqrt(a value) value   { return f.op(f.pick(f.VSQRTPS, f.VSQRTPD), a) }
func (f fp) and(a, b value) value { return f.op(f.pick(f.VANDPS, f.VANDPD), b, a) }
func (f fp) or(a, b value) value  { return f.op(f.pick(f.VORPS, f.VORPD), b, a) }
func (f fp) xor(a, b value) value { return f.op(f.pick(f.VXORPS, f.VXORPD), b, a) }

// andNot is b without the bits of a.
func (f fp) andNot(a, b value) value { return f.op(f.pick(f.VANDNPS, f.VANDNPD), b, a) }

// less is a < b ? a : b, and more is a > b ? a : b: b if either is NaN.
func (f fp) less(a, b value) value { return f.op(f.pick(f.VMINPS, f.VMINPD), b, a) }
func (f fp) more(a, b value) value { return f.op(f.pick(f.VMAXPS, f.VMAXPD), b, a) }

// A rounding is a mode of VROUNDPS and its like.
type rounding = operand.U8

const (
	toEven rounding = 8 + iota
	down
	up
	toZero
)

func (f fp) round(mode rounding, a value) value {
	if f.wide() {
		return f.op(f.pick(f.VRNDSCALEPS, f.VRNDSCALEPD), mode, a)
	}
	return f.op(f.pick(of3(f.VROUNDPS), of3(f.VROUNDPD)), mode, a)
}

// A predicate is one of VCMPPS and its like; none signals.
type predicate = operand.U8

const (
	equal            predicate = 0
	unordered        predicate = 3
	notEqual         predicate = 4 // or unordered
	ordered          predicate = 7
	equalOrUnordered predicate = 8
	lessThan         predicate = 0x11
	lessEqual        predicate = 0x12
	notLessEqual     predicate = 0x16 // or unordered
	greaterEqual     predicate = 0x1d
	greaterThan      predicate = 0x1e
	notGreaterThan   predicate = 0x1a // or unordered
	notGreaterEqual  predicate = 0x19 // or unordered
)

// cmp is a mask of a compared with b: an opmask register with AVX-512, elements of all bits or none
// with AVX2.
func (f fp) cmp(p predicate, a, b value) value {
	cmp := f.pick(f.VCMPPS, f.VCMPPD)
	if f.wide() {
		mask := f.K()
		cmp(p, b, a, mask)
		return mask
	}
	return f.op(cmp, p, b, a)
}

// choose is yes where mask is set and no elsewhere.
func (f fp) choose(mask, yes, no value) value {
	if f.wide() {
		return f.blend(mask, yes, no)
	}
	return f.op(f.pick(of4(f.VBLENDVPS), of4(f.VBLENDVPD)), mask, yes, no)
}

// blend is choose with an opmask register.
func (f fp) blend(mask, yes, no value) value {
	d, instruction := f.vec(), x86.VBLENDMPD
	if f.size == 4 {
		instruction = x86.VBLENDMPS
	}
	i, err := instruction(yes, no, mask, d)
	f.reading(i, err, yes, no, mask)
	return d
}

// keep is a where mask is set and +0 elsewhere.
func (f fp) keep(mask, a value) value {
	if f.wide() {
		return f.op(f.pick(of3(f.VMOVAPS_Z), of3(f.VMOVAPD_Z)), a, mask)
	}
	return f.and(mask, a)
}

// min is less, but NaN if either is; max likewise.
func (f fp) min(a, b value) value { return f.choose(f.cmp(unordered, a, a), a, f.less(a, b)) }
func (f fp) max(a, b value) value { return f.choose(f.cmp(unordered, a, a), a, f.more(a, b)) }

// signBit is a register of the sign bits.
func (f fp) signBit() value { return f.broadcast(1<<(f.size*8-1), f.size) }

// one is a register of ones.
func (f fp) one() value {
	if f.size == 4 {
		return f.broadcast(0x3f800000, 4)
	}
	return f.broadcast(0x3ff0000000000000, 8)
}

// infinity is a register of infinities.
func (f fp) infinity() value {
	if f.size == 4 {
		return f.broadcast(0x7f800000, 4)
	}
	return f.broadcast(0x7ff0000000000000, 8)
}

func imm(bits uint64) operand.Constant { return operand.Imm(bits) }
