package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// An integer emits instructions on integers of size bytes. Operands are in the order in which a
// formula has them.
type integer struct {
	*asm
	size   int
	signed bool
}

// typ names the type as package dtype does.
func (n integer) typ() string {
	if n.signed {
		return fmt.Sprintf("Int%d", n.size*8)
	}
	return fmt.Sprintf("Uint%d", n.size*8)
}

// types names the signed and the unsigned type.
func (n integer) types() []string {
	return []string{fmt.Sprintf("Int%d", n.size*8), fmt.Sprintf("Uint%d", n.size*8)}
}

// bySize is the instruction for integers of this size.
func (n integer) bySize(b, w, d, q instruction) instruction {
	return map[int]instruction{1: b, 2: w, 4: d, 8: q}[n.size]
}

func (n integer) add(a, b value) value {
	return n.op(n.bySize(n.VPADDB, n.VPADDW, n.VPADDD, n.VPADDQ), b, a)
}

func (n integer) sub(a, b value) value {
	return n.op(n.bySize(n.VPSUBB, n.VPSUBW, n.VPSUBD, n.VPSUBQ), b, a)
}

// The bitwise operations have other names with AVX-512.

func (k *asm) either(narrow func(a, b, c operand.Op), wide instruction) instruction {
	if k.wide() {
		return wide
	}
	return of3(narrow)
}

func (k *asm) and(a, b value) value { return k.op(k.either(k.VPAND, k.VPANDQ), b, a) }
func (k *asm) or(a, b value) value  { return k.op(k.either(k.VPOR, k.VPORQ), b, a) }
func (k *asm) xor(a, b value) value { return k.op(k.either(k.VPXOR, k.VPXORQ), b, a) }

// andNot is b without the bits of a.
func (k *asm) andNot(a, b value) value { return k.op(k.either(k.VPANDN, k.VPANDNQ), b, a) }

// shift is a shifted by a constant count.
func (n integer) shift(left bool, a value, count int) value {
	shift := n.bySize(nil, n.VPSRLW, n.VPSRLD, n.VPSRLQ)
	if left {
		shift = n.bySize(nil, n.VPSLLW, n.VPSLLD, n.VPSLLQ)
	}
	return n.op(shift, operand.Imm(uint64(count)), a)
}

// startMul emits the constants of a product and returns what emits it.
func (n integer) startMul() func(a, b value) value {
	switch {
	case n.size == 1:
		return n.startMulBytes()
	case n.size == 8 && !n.wide():
		return n.mulQuadwords
	}
	return func(a, b value) value { return n.op(n.bySize(nil, n.VPMULLW, n.VPMULLD, n.VPMULLQ), b, a) }
}

// startMulBytes multiplies the even and the odd bytes as words.
func (n integer) startMulBytes() func(a, b value) value {
	words := integer{asm: n.asm, size: 2}
	low := n.broadcast(0x00ff, 2)
	mul := words.startMul()
	return func(a, b value) value {
		even := n.and(low, mul(a, b))
		odd := mul(words.shift(false, a, 8), n.andNot(low, b)) // the high byte, times the high byte times 256
		return n.or(even, odd)
	}
}

// mulQuadwords sums the products of the halves that count.
func (n integer) mulQuadwords(a, b value) value {
	halves := integer{asm: n.asm, size: 4}
	swapped := n.op(n.VPSHUFD, operand.Imm(0xb1), b)
	cross := halves.startMul()(a, swapped)
	cross = n.add(n.shift(true, cross, 32), n.andNot(n.shift(false, n.ones(), 32), cross))
	return n.add(n.op(n.VPMULUDQ, b, a), cross)
}

// startExtreme emits the constants of the minimum, or of the maximum, and returns what emits it.
func (n integer) startExtreme(greatest bool) func(a, b value) value {
	if n.size == 8 && !n.wide() {
		less := n.startLess()
		if greatest {
			return func(a, b value) value { return n.choose(less(a, b), b, a) }
		}
		return func(a, b value) value { return n.choose(less(a, b), a, b) }
	}
	extreme := n.extreme(greatest)
	return func(a, b value) value { return n.op(extreme, b, a) }
}

func (n integer) extreme(greatest bool) instruction {
	switch {
	case greatest && n.signed:
		return n.bySize(n.VPMAXSB, n.VPMAXSW, n.VPMAXSD, n.VPMAXSQ)
	case greatest:
		return n.bySize(n.VPMAXUB, n.VPMAXUW, n.VPMAXUD, n.VPMAXUQ)
	case n.signed:
		return n.bySize(n.VPMINSB, n.VPMINSW, n.VPMINSD, n.VPMINSQ)
	}
	return n.bySize(n.VPMINUB, n.VPMINUW, n.VPMINUD, n.VPMINUQ)
}

// choose is yes where mask is set and no elsewhere.
func (n integer) choose(mask, yes, no value) value {
	if n.wide() {
		return n.op(n.bySize(n.VPBLENDMB, n.VPBLENDMW, n.VPBLENDMD, n.VPBLENDMQ), yes, no, mask)
	}
	return n.op(of4(n.VPBLENDVB), mask, yes, no)
}

// Comparisons of VPCMPB and its like.
const (
	intEqual operand.U8 = iota
	intLess
	intLessEqual
	_
	intNotEqual
)

// A comparison emits the mask of a compared with b.
type comparison func(a, b value) value

// startCompare emits the constants of a comparison and returns what emits its mask, or, if it says
// so, the mask of the opposite.
func (n integer) startCompare(how operand.U8) (compare comparison, opposite bool) {
	if n.wide() {
		return func(a, b value) value {
			mask := n.K()
			n.compareInstruction()(how, b, a, mask)
			return mask
		}, false
	}
	switch how {
	case intLess:
		return n.startLess(), false
	case intLessEqual:
		less := n.startLess()
		return func(a, b value) value { return less(b, a) }, true
	}
	return func(a, b value) value { return n.op(n.equality(), b, a) }, how == intNotEqual
}

func (n integer) compareInstruction() instruction {
	if n.signed {
		return n.bySize(n.VPCMPB, n.VPCMPW, n.VPCMPD, n.VPCMPQ)
	}
	return n.bySize(n.VPCMPUB, n.VPCMPUW, n.VPCMPUD, n.VPCMPUQ)
}

func (n integer) equality() instruction {
	return n.bySize(n.VPCMPEQB, n.VPCMPEQW, n.VPCMPEQD, n.VPCMPEQQ)
}

// startLess is the mask of a < b. AVX2 compares signed integers: of unsigned ones the highest bit
// is turned.
func (n integer) startLess() comparison {
	if n.wide() {
		less, _ := n.startCompare(intLess)
		return less
	}
	greater := n.bySize(n.VPCMPGTB, n.VPCMPGTW, n.VPCMPGTD, n.VPCMPGTQ)
	if n.signed {
		return func(a, b value) value { return n.op(greater, a, b) }
	}
	top := n.broadcast(1<<(n.size*8-1), n.size)
	return func(a, b value) value { return n.op(greater, n.xor(top, a), n.xor(top, b)) }
}

// startAbs emits |a|, of the least integer itself.
func (n integer) startAbs() func(a value) value {
	if n.size < 8 || n.wide() {
		return func(a value) value { return n.op(n.bySize(n.VPABSB, n.VPABSW, n.VPABSD, n.VPABSQ), a) }
	}
	zero, less := n.zero(), n.startLess()
	return func(a value) value {
		negative := less(a, zero)
		return n.sub(n.xor(a, negative), negative)
	}
}
