package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A gather describes a function that makes elements of size bytes, stride elements apart, adjacent.
type gather struct {
	*asm
	size, stride int
}

// emitGather emits the strides at which moving whole vectors pays.
func emitGather(k *asm) {
	for _, size := range []int{4, 8} {
		for _, stride := range []int{-1, 2, 3, 4} {
			g := gather{k, size, stride}
			name := fmt.Sprintf("gather%dStride%d%s", size*8, stride, k.name)
			if stride < 0 {
				name = fmt.Sprintf("gather%dReverse%s", size*8, k.name)
			}
			g.emit(name)
			k.gathers = append(k.gathers, registration{fn: name, form: stride, size: size})
		}
		k.emitParts(size)
	}
}

// emitParts makes the parts of complex numbers, which are two apart, of floats of size bytes.
func (k *asm) emitParts(size int) {
	pairs, floats := fmt.Sprintf("Complex%d", 2*size*8), fmt.Sprintf("Float%d", size*8)
	re := fmt.Sprintf("gather%dStride2%s", size*8, k.name)
	k.register(re, "Real", 0, pairs)
	k.registerConvert(re, pairs, floats)

	im := k.funcName("Imag", pairs, 0)
	k.function(im, "dst = the imaginary part of a")
	a := k.param("a")
	k.ADDQ(operand.U32(size), a)
	k.MOVQ(a, k.address("a"))
	k.tailCall(re)
	k.register(im, "Imag", 0, pairs)
}

func (g gather) lanes() int { return g.width / g.size }

func (g gather) emit(name string) {
	g.function(name, fmt.Sprintf("dst[i] = a[%d·i], of %d bytes each", g.stride, g.size))
	dst, src, left := g.param("dst"), g.param("a"), g.param("n")
	gathered := g.start()
	head, end := g.label("whole"), g.label("rest")

	// The elements between the last one and the next are not touched: some vector could end beyond
	// the last one.
	count := operand.U32(g.lanes() + 1)
	if g.stride < 0 {
		count = operand.U32(g.lanes())
	}

	g.SUBQ(count, left)
	g.JL(operand.LabelRef(end))

	g.align()
	g.Label(head)
	g.VMOVUPS(gathered(src), operand.Mem{Base: dst})
	g.ADDQ(operand.U32(g.width), dst)
	g.move(src, g.width*g.stride)

	g.SUBQ(operand.U32(g.lanes()), left)
	g.JGE(operand.LabelRef(head))

	g.Label(end)
	g.ADDQ(count, left)
	g.rest(dst, src, left)
	g.ret()
}

// move adds a number of bytes to an address.
func (g gather) move(p reg.GPVirtual, sizeBytes int) {
	if sizeBytes < 0 {
		g.SUBQ(operand.U32(-sizeBytes), p)
	} else {
		g.ADDQ(operand.U32(sizeBytes), p)
	}
}

// rest emits the loop over single elements.
func (g gather) rest(dst, src, left reg.GPVirtual) {
	head, end := g.label("single"), g.label("end")
	r := g.GP64()

	g.TESTQ(left, left)
	g.JE(operand.LabelRef(end))

	g.Label(head)
	if g.size == 4 {
		g.MOVL(operand.Mem{Base: src}, r.As32())
		g.MOVL(r.As32(), operand.Mem{Base: dst})
	} else {
		g.MOVQ(operand.Mem{Base: src}, r)
		g.MOVQ(r, operand.Mem{Base: dst})
	}

	g.move(dst, g.size)
	g.move(src, g.size*g.stride)
	g.DECQ(left)
	g.JNE(operand.LabelRef(head))

	g.Label(end)
}

// start emits the orders of elements and returns what emits a vector of the elements at src.
func (g gather) start() func(src reg.GPVirtual) value {
	switch {
	case g.stride < 0:
		return g.startReverse()
	case g.wide():
		return g.startPairwise()
	}
	return g.startBlend()
}

// source is the vector and the lane in which element i of the result is.
func (g gather) source(i int) (vector, lane int) {
	return i * g.stride / g.lanes(), i * g.stride % g.lanes()
}

// order is a register of lane numbers, in elements of doublewords for AVX2, which has permutations
// of no others.
func (g gather) order(what string, lane func(i int) int) value {
	size, scale := g.size, 1
	if !g.wide() {
		size, scale = 4, g.size/4
	}
	var numbers []uint64
	for i := range g.lanes() {
		for part := range scale {
			numbers = append(numbers, uint64(lane(i)*scale+part))
		}
	}
	r := g.vec()
	g.VMOVUPS(g.data(fmt.Sprintf("%s%d", what, g.size*8), size, numbers...), r)
	return r
}

// permuted is a vector in memory in some order.
func (g gather) permuted(m operand.Mem, order value) value {
	if g.size == 8 && g.wide() {
		return g.op(g.VPERMQ, m, order)
	}
	return g.op(g.VPERMD, m, order)
}

func (g gather) startReverse() func(src reg.GPVirtual) value {
	order := g.order("reverse", func(i int) int { return g.lanes() - 1 - i })
	return func(src reg.GPVirtual) value {
		return g.permuted(operand.Mem{Base: src, Disp: g.size - g.width}, order)
	}
}

// startPairwise adds one vector after the other to what was gathered before, by permutations of
// two.
func (g gather) startPairwise() func(src reg.GPVirtual) value {
	// Each permutation of two vectors keeps what is gathered so far and puts the elements of one
	// more vector in their places.
	orders := make([]value, g.stride)
	for v := 1; v < g.stride; v++ {
		orders[v] = g.order(fmt.Sprintf("pairwise%dof%d", v, g.stride), func(i int) int {
			vector, lane := g.source(i)
			switch {
			case vector == v:
				return g.lanes() + lane
			case v == 1:
				return lane
			}
			return i
		})
	}

	permute := integer{asm: g.asm, size: g.size}.bySize(nil, nil, g.VPERMT2D, g.VPERMT2Q)

	return func(src reg.GPVirtual) value {
		all := g.vec()
		g.VMOVUPS(operand.Mem{Base: src}, all)
		for v := 1; v < g.stride; v++ {
			permute(operand.Mem{Base: src, Disp: v * g.width}, orders[v], all)
		}
		return all
	}
}

// startBlend puts the elements of each vector in their place, and chooses between the vectors.
func (g gather) startBlend() func(src reg.GPVirtual) value {
	orders, chosen := make([]value, g.stride), make([]uint64, g.stride)
	for v := range orders {
		orders[v] = g.order(fmt.Sprintf("blend%dof%d", v, g.stride), func(i int) int {
			if vector, lane := g.source(i); vector == v {
				return lane
			}
			return 0
		})

		doublewords := g.size / 4
		for i := range g.lanes() {
			if vector, _ := g.source(i); vector == v {
				chosen[v] |= (1<<doublewords - 1) << (i * doublewords)
			}
		}
	}

	return func(src reg.GPVirtual) value {
		all := g.permuted(operand.Mem{Base: src}, orders[0])
		for v := 1; v < g.stride; v++ {
			next := g.permuted(operand.Mem{Base: src, Disp: v * g.width}, orders[v])
			all = g.op(of4(g.VPBLENDD), operand.Imm(chosen[v]), next, all)
		}
		return all
	}
}
