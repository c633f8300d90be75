package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/x86"
)

const attrNoSplit = attr.NOSPLIT

// replicated is the address of a vector whose elements of size bytes all have these bits. Where
// registers are short, instructions use it directly.
func (k *asm) replicated(bits uint64, size int) operand.Mem {
	return k.data(fmt.Sprintf("all%d_%0*x", size*8, size*2, truncate(bits, size)), size, repeat(bits, k.width/size)...)
}

// data is the address of read-only elements of size bytes with these bits. Each name is emitted
// once.
func (k *asm) data(name string, size int, bits ...uint64) operand.Mem {
	if m, ok := k.replicas[name]; ok {
		return m
	}
	m := k.StaticGlobal(name + k.output + k.name)
	k.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, b := range bits {
		k.AddDatum(i*size, constant(b, size))
	}
	k.replicas[name] = m
	return m
}

// broadcast is a register whose elements of size bytes all have these bits. It belongs before the
// loop.
func (k *asm) broadcast(bits uint64, size int) value {
	if truncate(bits, size) == 0 {
		return k.zero()
	}
	return k.broadcastFrom(k.replicated(bits, size), size)
}

// broadcastFrom is a register whose elements are all the one in memory.
func (k *asm) broadcastFrom(m operand.Mem, size int) value {
	d := k.vec()
	switch size {
	case 1:
		k.VPBROADCASTB(m, d)
	case 2:
		k.VPBROADCASTW(m, d)
	case 4:
		k.VBROADCASTSS(m, d)
	case 8:
		k.VBROADCASTSD(m, d)
	case 16:
		if k.wide() {
			k.VBROADCASTF32X4(m, d)
		} else {
			k.VBROADCASTF128(m, d)
		}
	}
	return d
}

// zero is a register of zeros.
func (k *asm) zero() value {
	d := k.vec()
	if k.wide() {
		i, err := x86.VPXORQ(d, d, d)
		k.reading(i, err)
	} else {
		k.VPXOR(d, d, d)
	}
	return d
}

// ones is a register whose bits are all set.
func (k *asm) ones() value {
	d := k.vec()
	if k.wide() {
		k.VPTERNLOGD(operand.U8(0xff), d, d, d)
	} else {
		k.VPCMPEQD(d, d, d)
	}
	return d
}

func constant(bits uint64, size int) operand.Constant {
	switch size {
	case 1:
		return operand.U8(bits)
	case 2:
		return operand.U16(bits)
	case 4:
		return operand.U32(bits)
	}
	return operand.U64(bits)
}

func truncate(bits uint64, size int) uint64 { return bits << (64 - size*8) >> (64 - size*8) }

func repeat(bits uint64, n int) []uint64 {
	all := make([]uint64, n)
	for i := range all {
		all[i] = bits
	}
	return all
}
