package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A tailStep is the last step of a loop for AVX2, of fewer than all elements. Elements of 4 and 8 bytes are loaded
// and stored under a mask; AVX2 has no masks for smaller ones, which go through a buffer on the stack.
type tailStep struct {
	*asm
	left   reg.GPVirtual
	masks  map[int]value // by size of element
	buffer *operand.Mem
}

// tail emits the last step, if any elements are left.
func (k *asm) tail(c *cursor, left reg.GPVirtual) {
	end := k.label("end")
	k.TESTQ(left, left)
	k.JE(operand.LabelRef(end))
	t := &tailStep{asm: k, left: left, masks: map[int]value{}}
	in := c.operands(k, 1, func(i, _, sizeBytes int) value {
		return t.load(c.at(c.args[i], c.loop.args[i].size, 0), c.loop.args[i].size, sizeBytes)
	})
	t.store(c.step(in)[0], c.loop.dst, c.lanes*c.loop.dst, c.at(c.dst, c.loop.dst, 0))
	k.Label(end)
}

// masked reports whether elements of this size in a vector of so many bytes can be loaded under a mask.
func masked(size, sizeBytes int) bool { return size >= 4 && sizeBytes >= 16 }

// mask is a register with the bits set of as many elements of size bytes as are left.
func (t *tailStep) mask(size int) value {
	if m, ok := t.masks[size]; ok {
		return m
	}
	n := t.width / size
	table := t.data(fmt.Sprintf("tail%d", size*8), size, append(repeat(^uint64(0), n), repeat(0, n)...)...)
	at, index := t.GP64(), t.GP64()
	t.LEAQ(table.Offset(t.width), at)
	t.MOVQ(t.left, index)
	t.NEGQ(index)
	m := t.vec()
	t.VMOVUPS(operand.Mem{Base: at, Index: index, Scale: uint8(size)}, m)
	t.masks[size] = m
	return m
}

func (t *tailStep) load(m operand.Mem, size, sizeBytes int) value {
	d := t.vecOf(sizeBytes)
	switch {
	case !masked(size, sizeBytes):
		buffer := t.stack()
		t.copyBytes(m, buffer, size)
		t.loadVector(buffer, sizeBytes, d)
	case size == 4:
		t.VPMASKMOVD(m, narrow(t.mask(size), sizeBytes), d)
	default:
		t.VPMASKMOVQ(m, narrow(t.mask(size), sizeBytes), d)
	}
	return d
}

func (t *tailStep) store(r value, size, sizeBytes int, m operand.Mem) {
	switch {
	case !masked(size, sizeBytes):
		buffer := t.stack()
		t.storeVector(buffer, sizeBytes, r)
		t.copyBytes(buffer, m, size)
	case size == 4:
		t.VPMASKMOVD(r, narrow(t.mask(size), sizeBytes), m)
	default:
		t.VPMASKMOVQ(r, narrow(t.mask(size), sizeBytes), m)
	}
}

// stack is the address of the buffer.
func (t *tailStep) stack() operand.Mem {
	if t.buffer == nil {
		m := t.AllocLocal(t.width)
		t.buffer = &m
	}
	return *t.buffer
}

// copyBytes copies the elements left from one place to another, from the last to the first.
func (t *tailStep) copyBytes(from, to operand.Mem, size int) {
	src, dst, i := t.GP64(), t.GP64(), t.GP64()
	t.LEAQ(from, src)
	t.LEAQ(to, dst)
	t.MOVQ(t.left, i)
	head := t.label("copy")
	t.Label(head)
	at := func(base reg.GPVirtual) operand.Mem {
		return operand.Mem{Base: base, Index: i, Scale: uint8(size), Disp: -size}
	}
	r := t.GP64()
	switch size {
	case 1:
		t.MOVB(at(src), r.As8())
		t.MOVB(r.As8(), at(dst))
	case 2:
		t.MOVW(at(src), r.As16())
		t.MOVW(r.As16(), at(dst))
	case 4:
		t.MOVL(at(src), r.As32())
		t.MOVL(r.As32(), at(dst))
	case 8:
		t.MOVQ(at(src), r)
		t.MOVQ(r, at(dst))
	}
	t.DECQ(i)
	t.JNE(operand.LabelRef(head))
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
