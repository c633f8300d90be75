package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// emitNetworks emits what sorts columns of unsigned integers by a network of comparators: n of
// them, whose rows are pairs of 32-bit offsets at a, counted in bytes from dst. AVX2 has no order
// of 64-bit integers of its own.
func emitNetworks(k *asm) {
	k.emitNetwork(4, of3(func(a, b, c operand.Op) { k.VPMINUD(a, b, c) }), of3(func(a, b, c operand.Op) { k.VPMAXUD(a, b, c) }))
	if k.wide() {
		k.emitNetwork(8, of3(func(a, b, c operand.Op) { k.VPMINUQ(a, b, c) }), of3(func(a, b, c operand.Op) { k.VPMAXUQ(a, b, c) }))
	}
}

func (k *asm) emitNetwork(size int, lesser, greater instruction) {
	k.function(fmt.Sprintf("network%d%s", 8*size, k.name), "columns at dst, a vector of them, are sorted by the comparators at a")
	rows, pairs, left := k.param("dst"), k.param("a"), k.param("n")

	head := k.label("pair")
	k.align()
	k.Label(head)

	upper, lower := k.GP64(), k.GP64()
	k.MOVL(operand.Mem{Base: pairs}, upper.As32())
	k.MOVL(operand.Mem{Base: pairs, Disp: 4}, lower.As32())
	first, second := operand.Mem{Base: rows, Index: upper, Scale: 1}, operand.Mem{Base: rows, Index: lower, Scale: 1}

	x := k.vec()
	k.VMOVUPS(first, x)
	y := k.vec()
	k.VMOVUPS(second, y)

	k.VMOVUPS(k.op(lesser, x, y), first)
	k.VMOVUPS(k.op(greater, x, y), second)

	k.ADDQ(operand.Imm(8), pairs)
	k.DECQ(left)
	k.JNE(operand.LabelRef(head))
	k.ret()
}
