package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A real emits instructions on floats of one size, with variables of package kernel and other
// constants.
type real struct {
	fp
	loaded map[string]value // constants in registers
	most   int              // how many constants may be in registers: the steps need the others
}

func (k *asm) real(size, most int) real { return real{fp{k, size}, map[string]value{}, most} }

// global is the address of a variable of package kernel, or of an element of one.
func (r real) global(name string, index int) operand.Mem {
	return operand.NewDataAddr(operand.Symbol{Name: "·" + name}, r.size*index)
}

// use loads variables of package kernel into registers before the loop, if there are enough
// registers.
func (r real) use(names ...string) {
	for _, name := range names {
		r.usePart(name, 0)
	}
}

// useTable does it with the n elements of a table.
func (r real) useTable(name string, n int) {
	for i := range n {
		r.usePart(name, i)
	}
}

func (r real) usePart(name string, index int) {
	if r.room() {
		r.loaded[key(name, index)] = r.broadcastFrom(r.global(name, index), r.size)
	}
}

// room reports whether there is a register for another constant.
func (r real) room() bool { return r.wide() && len(r.loaded) < r.most }

func key(name string, index int) string { return fmt.Sprintf("%s %d", name, index) }

// get is a variable of package kernel, which must not be changed.
func (r real) get(name string) value { return r.part(name, 0) }

func (r real) part(name string, index int) value {
	if v, ok := r.loaded[key(name, index)]; ok {
		return v
	}
	return r.broadcastFrom(r.global(name, index), r.size)
}

// bits is a vector of floats with these bits in memory or, after useBits, in a register.
func (r real) bits(b uint64) value {
	if v, ok := r.loaded[key("bits", int(b))]; ok {
		return v
	}
	return r.replicated(b, r.size)
}

func (r real) useBits(bits ...uint64) {
	for _, b := range bits {
		if r.room() {
			r.loaded[key("bits", int(b))] = r.broadcast(b, r.size)
		}
	}
}

// inRegister is bits, in a register at any rate.
func (r real) inRegister(b uint64) value {
	v := r.bits(b)
	if m, ok := v.(operand.Mem); ok {
		return r.copy(m)
	}
	return v
}

// signBits is a float's sign.
func (r real) signBits() uint64 { return 1 << (8*r.size - 1) }

// copy is a register that may be changed.
func (r real) copy(a value) value {
	if _, ok := a.(reg.Register); ok {
		return r.op(r.VMOVAPD, a)
	}
	return r.op(r.VMOVUPD, a)
}

// The following change their first argument, a register, and return it: c + a·b and c - a·b.

func (r real) plusProduct(c, a, b value) value {
	r.pick(r.VFMADD231PS, r.VFMADD231PD)(b, a, c)
	return c
}

func (r real) minusProduct(c, a, b value) value {
	r.pick(r.VFNMADD231PS, r.VFNMADD231PD)(b, a, c)
	return c
}

// timesPlus changes a to a·b + c, where c may be in memory.
func (r real) timesPlus(a, b, c value) value {
	r.pick(r.VFMADD213PS, r.VFMADD213PD)(c, b, a)
	return a
}

// poly is the polynomial with the n coefficients in a table.
func (r real) poly(x value, table string, n int) value {
	p := r.copyPart(table, n-1)
	for i := n - 2; i >= 0; i-- {
		r.timesPlusPart(p, x, table, i)
	}
	return p
}

func (r real) timesPlusPart(p, x value, table string, i int) {
	if _, ok := r.loaded[key(table, i)]; r.wide() && !ok {
		r.pick(r.VFMADD213PS_BCST, r.VFMADD213PD_BCST)(r.global(table, i), x, p)
		return
	}
	r.timesPlus(p, x, r.part(table, i))
}

func (r real) copyPart(table string, i int) value {
	if v, ok := r.loaded[key(table, i)]; ok {
		return r.copy(v)
	}
	return r.part(table, i)
}

// clamp is a between two variables, NaN of NaN.
func (r real) clamp(a value, lo, hi string) value {
	return r.more(r.get(lo), r.less(r.get(hi), a))
}

// addBits and subBits work on integers, shiftLeft and shiftRight on the bits of floats.

func (r real) addBits(a, b value) value { return r.op(r.pick(r.VPADDD, r.VPADDQ), b, a) }
func (r real) subBits(a, b value) value { return r.op(r.pick(r.VPSUBD, r.VPSUBQ), b, a) }

func (r real) shiftLeft(a value, n int) value {
	return r.op(r.pick(r.VPSLLD, r.VPSLLQ), operand.U8(n), a)
}

func (r real) shiftRight(a value, n int) value {
	return r.op(r.pick(r.VPSRLD, r.VPSRLQ), operand.U8(n), a)
}

// abs is |a|.
func (r real) abs(a value) value { return r.andNot(r.inRegister(r.signBits()), a) }

// copySign is |a| with the sign of b.
func (r real) copySign(a, b value) value {
	sign := r.inRegister(r.signBits())
	return r.or(r.and(sign, b), r.andNot(sign, a))
}
