package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tail emits the last step of a loop for AVX2, of fewer than all elements, if any are left. These
// are copied one by one to and from a buffer on the stack: AVX2 has no masks for small elements,
// and the loads under masks that it has for large ones read all bytes in some emulators.
func (k *asm) tail(c *cursor, left reg.GPVirtual) {
	end := k.label("end")
	k.TESTQ(left, left)
	k.JE(operand.LabelRef(end))
	buffer := k.AllocLocal(k.width)
	in := c.operands(k, 1, func(i, _, sizeBytes int) value {
		k.copyElements(c.at(c.args[i], c.loop.args[i].size, 0), buffer, c.loop.args[i].size, left)
		d := k.vecOf(sizeBytes)
		k.loadVector(buffer, sizeBytes, d)
		return d
	})
	k.storeVector(buffer, c.lanes*c.loop.dst, c.step(in)[0])
	k.copyElements(buffer, c.at(c.dst, c.loop.dst, 0), c.loop.dst, left)
	k.Label(end)
}

// copyElements copies a number of elements from one place to another, the last one first.
func (k *asm) copyElements(from, to operand.Mem, size int, count reg.GPVirtual) {
	src, dst, i, r := k.GP64(), k.GP64(), k.GP64(), k.GP64()
	k.LEAQ(from, src)
	k.LEAQ(to, dst)
	k.MOVQ(count, i)

	head := k.label("copy")
	k.Label(head)
	at := func(base reg.GPVirtual) operand.Mem {
		return operand.Mem{Base: base, Index: i, Scale: uint8(size), Disp: -size}
	}

	switch size {
	case 1:
		k.MOVBLZX(at(src), r.As32())
		k.MOVB(r.As8(), at(dst))
	case 2:
		k.MOVWLZX(at(src), r.As32())
		k.MOVW(r.As16(), at(dst))
	case 4:
		k.MOVL(at(src), r.As32())
		k.MOVL(r.As32(), at(dst))
	case 8:
		k.MOVQ(at(src), r)
		k.MOVQ(r, at(dst))
	}

	k.DECQ(i)
	k.JNE(operand.LabelRef(head))
}

// narrow is the low part of a register.
func narrow(r value, sizeBytes int) value {
	v := r.(reg.Vec)
	switch {
	case sizeBytes <= 16:
		return v.AsX()
	case sizeBytes == 32:
		return v.AsY()
	}
	return v.AsZ()
}
