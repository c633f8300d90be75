package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A sieve describes a function that counts keys on either side of some bounds, and keeps the
// indexes of those between two of them. Its parameters are b = sieveBounds, c = sieveTally and dst,
// where there is room for a vector of indexes beyond the last one. n is a multiple of the lanes,
// and not 0.
type sieve struct {
	*asm
	size  int
	float bool // negative elements have the order of their inverted bits
}

// Where the assembly finds what is in kernel.sieveBounds and kernel.sieveTally.
const (
	sieveOffset, sieveLow, sieveHigh, sieveLast = 0, 8, 16, 24
	sieveCounts, sieveKept                      = 64, 5 * 64 // bytes of a count, place of the number kept
)

func emitSieve(k *asm) {
	for _, size := range []int{4, 8} {
		sieve{k, size, false}.emit()
		sieve{k, size, true}.emit()
	}
}

func (s sieve) lanes() int { return s.width / s.size }

func (s sieve) emit() {
	kind := "Integer"
	if s.float {
		kind = "Float"
	}

	s.function(fmt.Sprintf("sieve%s%d%s", kind, s.size*8, s.name), "dst = indexes of the keys of a between two bounds")
	at, src, bounds, left := s.param("dst"), s.param("a"), s.param("b"), s.param("n")
	bound := func(disp int) value { return s.broadcastFrom(operand.Mem{Base: bounds, Disp: disp}, s.size) }
	offset, low, high, last := bound(sieveOffset), bound(sieveLow), bound(sieveHigh), bound(sieveLast)

	key := s.startKey(offset)
	count, finish := s.startCounts()
	keep := s.startKeep(at)

	head := s.label("vector")
	s.align()
	s.Label(head)

	k := key(operand.Mem{Base: src})
	above := s.greater(k, low)
	below := s.greater(high, k)
	inside := s.both(above, below)

	count(0, above)
	count(1, s.greater(low, k))
	count(2, below)
	count(3, s.greater(k, high))
	count(4, s.greater(k, last))

	keep(inside)

	s.ADDQ(operand.U32(s.width), src)
	s.SUBQ(operand.U32(s.lanes()), left)
	s.JNE(operand.LabelRef(head))

	tally := s.param("c")
	finish(tally)
	// The indexes that are kept are at most 4 bytes each: their number is a quarter of the bytes
	// that dst has moved.
	s.SUBQ(s.address("dst"), at)
	s.SHRQ(operand.U8(2), at)
	s.MOVQ(at, operand.Mem{Base: tally, Disp: sieveKept})

	s.ret()
}

// startKey returns what emits the keys of elements in memory, as signed integers.
func (s sieve) startKey(offset value) func(m operand.Mem) value {
	n := integer{asm: s.asm, size: s.size, signed: true}
	zero := value(nil)
	if s.float && s.size == 8 && !s.wide() {
		zero = s.zero()
	}

	return func(m operand.Mem) value {
		x := s.vec()
		s.VMOVUPS(m, x)
		if !s.float {
			return n.sub(x, offset)
		}

		// The sign of a negative float, all over the bits below it, turns them over: keys are
		// ordered as signed integers.
		var sign value
		switch {
		case s.size == 4:
			sign = s.op(s.VPSRAD, operand.U8(31), x)
			sign = s.op(s.VPSRLD, operand.U8(1), sign)
		case s.wide():
			sign = s.op(s.VPSRAQ, operand.U8(63), x)
			sign = s.op(s.VPSRLQ, operand.U8(1), sign)
		default:
			sign = s.op(s.VPCMPGTQ, x, zero)
			sign = s.op(s.VPSRLQ, operand.U8(1), sign)
		}

		return n.sub(n.xor(x, sign), offset)
	}
}

// greater is the mask of the keys of a that are above those of b.
func (s sieve) greater(a, b value) value {
	if s.wide() {
		mask := s.K()
		if s.size == 4 {
			s.VPCMPGTD(b, a, mask)
		} else {
			s.VPCMPGTQ(b, a, mask)
		}
		return mask
	}
	if s.size == 4 {
		return s.op(s.VPCMPGTD, b, a)
	}
	return s.op(s.VPCMPGTQ, b, a)
}

// both is the mask of the keys that are in two masks.
func (s sieve) both(a, b value) value {
	return fp{asm: s.asm, size: s.size}.both(a, b)
}

// startCounts returns what emits the count of the keys in a mask, and what stores the counts.
func (s sieve) startCounts() (count func(i int, mask value), finish func(tally reg.GPVirtual)) {
	var counts [5]value
	for i := range counts {
		counts[i] = s.zero()
	}

	one := value(nil)
	if s.wide() {
		one = s.broadcast(1, s.size)
	}

	n := integer{asm: s.asm, size: s.size, signed: true}
	count = func(i int, mask value) {
		switch {
		case !s.wide():
			n.bySize(nil, nil, s.VPSUBD, s.VPSUBQ)(mask, counts[i], counts[i])
		case s.size == 4:
			s.VPADDD(one, counts[i], mask, counts[i])
		default:
			s.VPADDQ(one, counts[i], mask, counts[i])
		}
	}

	return count, func(tally reg.GPVirtual) {
		for i, c := range counts {
			s.VMOVUPS(c, operand.Mem{Base: tally, Disp: i * sieveCounts})
		}
	}
}

// startKeep returns what emits the indexes of the keys in a mask, of doublewords, and moves beyond
// them.
func (s sieve) startKeep(at reg.GPVirtual) func(mask value) {
	lanes := s.lanes()
	numbers, steps := make([]uint64, lanes), make([]uint64, lanes)
	for i := range numbers {
		numbers[i], steps[i] = uint64(i), uint64(lanes)
	}

	if !s.wide() {
		numbers = make([]uint64, lanes) // of the first lane
	}

	step := s.data(fmt.Sprintf("step%d", lanes), 4, steps...)
	index := s.vecOf(4 * lanes)
	s.VMOVUPS(s.data(fmt.Sprintf("lanes%d", lanes), 4, numbers...), index)

	bits, table := s.GP64(), s.GP64()
	if !s.wide() {
		s.LEAQ(s.insideLanes(), table)
	}

	return func(mask value) {
		kept := s.vecOf(4 * lanes)
		switch {
		case s.wide():
			s.VPCOMPRESSD_Z(index, mask, kept)
			s.KMOVW(mask, bits.As32())
		case s.size == 4:
			s.VMOVMSKPS(mask, bits.As32())
		default:
			s.VMOVMSKPD(mask, bits.As32())
		}

		if !s.wide() {
			s.VPMOVZXBD(operand.Mem{Base: table, Index: bits, Scale: 8}, kept)
			s.VPADDD(index, kept, kept)
		}

		// Store a whole vector and move on by the kept indexes only: the next store overwrites the
		// rest.
		s.VMOVUPS(kept, operand.Mem{Base: at})
		s.VPADDD(step, index, index)
		s.POPCNTL(bits.As32(), bits.As32())
		s.LEAQ(operand.Mem{Base: at, Index: bits, Scale: 4}, at)
	}
}

// insideLanes is a table of the numbers of the bits that are set in each byte, as bytes.
func (s sieve) insideLanes() operand.Mem {
	var bytes []uint64
	for mask := range 256 {
		lanes, n := uint64(0), 0
		for lane := range 8 {
			if mask>>lane&1 == 1 {
				lanes |= uint64(lane) << (8 * n)
				n++
			}
		}
		bytes = append(bytes, lanes)
	}
	return s.data("insideLanes", 8, bytes...)
}
